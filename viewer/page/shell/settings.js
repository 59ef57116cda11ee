// The settings of a game that has not started.

import { byId, download, make, write } from "./dom.js";
import { clearNotice, warn } from "./notices.js";

/** The communication server's name and port, which stay as they are while there is a connection. */
const SERVER = ["CsIP", "CsPort"];

/** Names in files may have other capitals. */
const isServer = (name) => SERVER.some((own) => own.toLowerCase() === name.toLowerCase());

/** The group of the settings that the room names in none of its own. */
const OTHER_GROUP = "Further settings";

/** A unit at the end of what a setting means. */
const UNIT = /, (ms|bytes|MiB)$/;

/** The settings of a game that has not started, as a form. */
export class SettingsForm {
  constructor(page) {
    this.page = page;
    this.fields = new Map();
    this.timer = 0;
    /** How often the game master was asked what it says to the values, or a file was loaded. */
    this.turn = 0;
    /** Further ways to choose a value, each beside its field. */
    this.editors = [];
    /** Faults that belong to no field. */
    this.homeless = [];
    /** Why there is no connection to the server, and the setting that is probably wrong; null if there is one. */
    this.unreachable = null;
    byId("apply").addEventListener("click", () => this.apply());
    byId("settings").addEventListener("submit", (event) => { event.preventDefault(); this.submit(); });
    byId("settings-load").addEventListener("click", () => byId("settings-file").click());
    byId("settings-file").addEventListener("change", ({ target }) => this.load(target));
    byId("settings-save").addEventListener("click", () => this.save());
    byId("lobby-faults-show").addEventListener("click", () => this.showFirstFault());
    byId("settings-defaults").addEventListener("click", () => this.fillAll((parameter) => parameter.default));
    byId("settings-discard").addEventListener("click", () => this.fillAll((parameter) => parameter.value));
    addEventListener("resize", () => this.refreshEditors());
  }

  unitOf({ name, meaning, range: { type } }) {
    const [, unit] = meaning.match(UNIT) ?? [];
    return unit ?? this.page.room.constructor.settingUnits[name] ?? (type === "real" ? "0–1" : "");
  }

  /** Takes over what the game master says is in force. Values that the user is changing stay. */
  show({ locked, parameters, faults }) {
    if (String([...this.fields.keys()]) !== String(parameters.map(({ name }) => name))) this.build(parameters);
    for (const parameter of parameters) {
      const field = this.fields.get(parameter.name);
      const pending = field.changed && !locked;
      field.parameter = parameter;
      if (!pending) this.fill(field, parameter.value);
      field.changed = pending && !same(this.read(field), parameter.value);
      field.row.classList.toggle("changed", field.changed);
      write(field.origin, parameter.origin === "default" ? "" : ` · from ${parameter.origin}`);
    }
    write(byId("settings-note"), locked ? "In force; a game that has started keeps its settings."
      : "Checked as you type, by the same rules as the file.");
    // When an agent joins, the settings are sent again: what the user is changing is as faulty as before.
    if (this.hasChanges) this.checkSoon();
    else this.showFaults(faults ?? []);
    this.enable();
  }

  build(parameters) {
    this.fields.clear();
    this.unreachable = null;
    const { settingGroups, settingEditors } = this.page.room.constructor;
    const order = Object.values(settingGroups).flat();
    const groupOf = (name) => Object.keys(settingGroups).find((group) => settingGroups[group].includes(name)) ?? OTHER_GROUP;
    const groups = new Map([...Object.keys(settingGroups), OTHER_GROUP].map((name) => [name, []]));
    this.editors = [];
    for (const parameter of parameters) {
      const { name, meaning, range } = parameter, id = `setting-${name}`;
      const unit = this.unitOf(parameter);
      const describedby = `${id}-hint ${id}-fault`;
      const changed = () => this.touched(name);
      let input;
      if (range.type === "flag") input = make("input", { type: "checkbox", id, "aria-describedby": describedby, change: changed });
      else if (range.type === "text" && range.values) {
        input = make("select", { id, "aria-describedby": describedby, change: changed },
          ...range.values.map((value) => make("option", { value }, value)));
      } else {
        input = make("input", {
          type: "text", id, inputmode: range.type === "whole" ? "numeric" : range.type === "real" ? "decimal" : null,
          spellcheck: "false", "aria-describedby": describedby, input: changed,
          placeholder: name === "seed" ? "drawn" : null,
        });
      }
      const allowed = range.type === "whole" || range.type === "real" ? `${limits(range)}, ` : "";
      const usual = parameter.default === "" ? "empty" : parameter.default === true ? "on" : parameter.default === false ? "off" : parameter.default;
      const origin = make("span");
      const fault = make("p", { "class": "fault", id: `${id}-fault`, hidden: true });
      const row = make("div", { "class": "setting", "data-name": name },
        // The unit stands beside the field.
        make("label", { "for": id }, meaning.replace(UNIT, "")),
        make("span", { "class": "name" }, make("code", {}, name), origin),
        make("span", { "class": "field" }, input, unit ? make("span", { "class": "unit" }, unit) : null),
        make("p", { "class": "hint", id: `${id}-hint` }, `${allowed}usually ${usual}`), fault);
      // Paths and lists are long.
      row.classList.toggle("wide", this.page.matches.isOn && input.type === "text" && range.type === "text" && name !== "seed");
      const Editor = settingEditors[name];
      if (Editor) {
        const editor = new Editor({ get: (other) => this.read(this.fields.get(other)), set: (other, value) => this.choose(other, value) });
        this.editors.push(editor);
        row.append(editor.element);
      }
      this.fields.set(name, { parameter, input, row, fault, origin, changed: false });
      groups.get(groupOf(name)).push(row);
    }
    const placeOf = ({ dataset: { name } }) => order.indexOf(name);
    for (const rows of groups.values()) rows.sort((one, other) => placeOf(one) - placeOf(other));
    byId("settings-groups").replaceChildren(...[...groups].filter(([, rows]) => rows.length).map(([name, rows]) =>
      make("fieldset", { "class": "settings-group" }, make("legend", {}, name), make("div", { "class": "settings-list" }, ...rows))));
  }

  fill(field, value) {
    if (field.input.type === "checkbox") field.input.checked = Boolean(value);
    else field.input.value = String(value);
  }

  /** The value of a field: a number where one is asked for and stands there, else the text as it is. */
  read({ input, parameter: { range } }) {
    if (range.type === "flag") return input.checked;
    const text = input.value.trim();
    const isNumber = range.type === "whole" ? /^[+-]?\d+$/.test(text) : /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text);
    return (range.type === "whole" || range.type === "real") && isNumber ? Number(text) : text;
  }

  /** Whether a setting stays as it is: the server, while there is a connection. */
  isFixed(name) {
    return isServer(name) && !this.page.game.maySelectServer;
  }

  /** Enter in a field: where there is no connection, one is what the user wants. */
  submit() {
    if (this.page.matches.isOn) this.page.matches.start();
    else if (this.page.game.maySelectServer) this.page.lobby.connect();
    else if (this.hasChanges) this.apply();
  }

  /** Shows why the server cannot be reached, at the setting that is probably wrong. */
  showServer({ state, field, why }) {
    const had = this.unreachable;
    this.unreachable = state === "failed" && this.fields.has(field) ? { name: field, why } : null;
    if (had) this.setFault(this.fields.get(had.name), null);
    this.showUnreachable();
    this.enable();
  }

  /** It does not count as a fault: the same server may be there a moment later. */
  showUnreachable() {
    const field = this.unreachable && this.fields.get(this.unreachable.name);
    if (!field || field.changed || field.row.classList.contains("faulty")) return;
    this.setFault(field, this.unreachable.why);
    field.row.classList.replace("faulty", "unreachable");
  }

  focusServer() {
    const { input } = this.fields.get(this.unreachable?.name ?? SERVER[0]);
    input.focus();
    input.select();
  }

  get hasChanges() {
    return [...this.fields.values()].some(({ changed }) => changed);
  }

  changes() {
    return Object.fromEntries([...this.fields].filter(([, field]) => field.changed).map(([name, field]) => [name, this.read(field)]));
  }

  /** Takes over a value that was chosen beside a field. */
  choose(name, value) {
    this.fill(this.fields.get(name), value);
    this.touched(name);
  }

  /** Draws what stands beside fields: values, or the width of the page, have changed. */
  refreshEditors() {
    for (const editor of this.editors) editor.refresh(this.isOpen);
  }

  /** Checks the type and range at once; the host makes the final check. */
  touched(name) {
    const field = this.fields.get(name), { range, value } = field.parameter;
    const now = this.read(field);
    field.changed = !same(now, value);
    field.row.classList.toggle("changed", field.changed);
    let fault = null;
    if (range.type === "whole" || range.type === "real") {
      const kind = range.type === "whole" ? "a whole number" : "a number";
      if (typeof now !== "number") fault = `it is not ${kind}; allowed: ${kind} from ${limits(range)}`;
      else if (now < range.least || now > range.most) {
        fault = `it is too ${now < range.least ? "small" : "large"}; allowed: ${limits(range)}`;
      }
    }
    this.setFault(field, fault);
    this.checkSoon();
  }

  checkSoon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.check(), 180);
    this.enable();
  }

  async check() {
    const asked = this.changes(), text = JSON.stringify(asked), turn = ++this.turn;
    const answer = await this.page.connection.request("POST", "settings/check", asked);
    // The answer to an earlier text says nothing about the present one, nor about a file that was loaded since.
    if (answer && turn === this.turn && text === JSON.stringify(this.changes())) this.showFaults(faultsIn(answer, "settings"));
    this.enable();
  }

  showFaults(faults) {
    this.homeless = [];
    for (const field of this.fields.values()) this.setFault(field, null);
    if (!faults.length) this.showUnreachable();
    for (const { field: name, why, allowed } of faults) {
      const field = this.fields.get(name);
      const text = `${why}${allowed ? `; allowed: ${allowed}` : ""}`;
      if (field) this.setFault(field, text);
      else this.homeless.push(`${name}: ${text}`);
    }
    byId("settings-faults").hidden = !this.homeless.length;
    byId("settings-faults").replaceChildren(...this.homeless.map((text) => make("p", {}, text)));
  }

  /** The fields with a fault, in the order of the page. */
  get faulty() {
    return [...byId("settings-groups").querySelectorAll(".faulty")].map((row) => this.fields.get(row.dataset.name));
  }

  get faultCount() {
    return this.faulty.length + this.homeless.length;
  }

  /** Leads to the first fault. */
  showFirstFault() {
    if (this.homeless.length) byId("settings-faults").scrollIntoView({ block: "center" });
    else this.faulty[0]?.input.focus();
  }

  /** Writes another value into every field that may be changed. */
  fillAll(valueOf) {
    for (const [name, field] of this.fields) {
      if (this.isFixed(name)) continue;
      this.fill(field, valueOf(field.parameter));
      this.mark(field);
    }
    this.showFaults([]);
    this.checkSoon();
  }

  /** Shows whether a field has another value than is in force. */
  mark(field) {
    field.changed = !same(this.read(field), field.parameter.value);
    field.row.classList.toggle("changed", field.changed);
  }

  setFault(field, text) {
    field.row.classList.remove("unreachable");
    field.row.classList.toggle("faulty", text !== null);
    field.input.setAttribute("aria-invalid", String(text !== null));
    field.fault.hidden = text === null;
    write(field.fault, text ?? "");
  }

  /** Whether values may be changed now. */
  get isOpen() {
    const { settings, hello } = this.page.game;
    return Boolean(settings && !settings.locked && hello?.operator && this.page.isConnected);
  }

  /** Opens what may be used now. */
  enable() {
    const { lobby, server } = this.page.game, open = this.isOpen;
    for (const [name, { input }] of this.fields) input.disabled = !open || this.isFixed(name);
    for (const id of ["load", "save", "defaults", "discard"]) byId(`settings-${id}`).hidden = !open;
    const faults = this.faultCount;
    byId("settings-discard").disabled = !this.hasChanges && !faults;
    byId("apply").disabled = !open || faults > 0 || !this.hasChanges;
    byId("start").disabled = !open || faults > 0 || !(lobby?.mayStart ?? this.page.matches.mayStart);
    byId("connect").disabled = !open || faults > 0 || (server?.state === "connecting" && !this.hasChanges);
    byId("lobby-faults").hidden = !open || !faults;
    write(byId("lobby-faults-count"), faults === 1 ? "1 setting is faulty." : `${faults} settings are faulty.`);
    byId("lobby-note").hidden = open && faults > 0;
    this.refreshEditors();
  }

  async apply() {
    clearTimeout(this.timer);
    const sent = this.changes(), answer = await this.page.connection.request("PUT", "settings", sent);
    if (!answer) return false;
    if (answer.ok) {
      clearNotice("settings");
      // What was typed while the answer was on its way stays.
      for (const [name, value] of Object.entries(sent)) {
        const field = this.fields.get(name);
        if (field) field.changed = !same(this.read(field), value);
      }
      if (answer.said?.parameters) {
        this.page.game.settings = answer.said;
        this.show(answer.said);
      }
    } else if (answer.said?.faults) this.showFaults(answer.said.faults);
    else warn("settings", `The settings were not taken: ${answer.said?.why ?? answer.status}`);
    this.enable();
    return answer.ok;
  }

  async load(picker) {
    const [file] = picker.files;
    picker.value = "";
    if (!file) return;
    clearTimeout(this.timer);
    this.turn++;
    let values;
    try {
      values = JSON.parse(await file.text(), exactly);
      if (values === null || typeof values !== "object" || Array.isArray(values)) throw new Error("it is no JSON object");
    } catch (error) {
      this.showFaults([{ field: file.name, why: error.message }]);
      return;
    }
    // Names may be the file's own variants, a name may be there twice, and numbers may have more digits than those of
    // this page: so the game master reads the file itself.
    let answer = await this.page.connection.request("POST", "settings/check", file);
    const left = Object.keys(values).filter((name) => this.isFixed(name) && !same(values[name], this.inForce(name)));
    values = Object.fromEntries(Object.entries(values).filter(([name]) => !this.isFixed(name)));
    // If only the values that stay are at fault, the rest of the file is taken over.
    if (left.length && answer && faultsIn(answer, file.name).every(({ field }) => this.isFixed(field))) {
      answer = await this.page.connection.request("POST", "settings/check", values);
    }
    if (!answer) return;
    if (!answer.said?.parameters) {
      // Not even the game master could read it: nothing is taken over.
      this.showFaults(faultsIn(answer, file.name));
      this.enable();
      return;
    }
    for (const { name, value } of answer.said.parameters) {
      const field = this.fields.get(name);
      this.fill(field, value);
      this.mark(field);
    }
    // The game master's values are those of the file, unless there are faults.
    for (const [name, value] of answer.said.faults.length ? Object.entries(values) : []) {
      const field = this.fields.get(name);
      if (field) {
        this.fill(field, value);
        this.mark(field);
      }
    }
    this.showFaults(answer.said.faults);
    write(byId("settings-note"), `${file.name} is loaded, and not in force yet.${
      left.length ? ` ${left.join(" and ")} stay${left.length === 1 ? "s" : ""}: the game master is connected already.` : ""}`);
    this.enable();
  }

  /** The value that is in force of a parameter, whatever the capitals of its name. */
  inForce(name) {
    const [, field] = [...this.fields].find(([own]) => own.toLowerCase() === name.toLowerCase()) ?? [];
    return field?.parameter.value;
  }

  /** Saves what the fields say, but no defaults: what a file names counts as chosen by the operator. */
  save() {
    const isChosen = ([, { parameter, changed }]) => changed || parameter.origin !== "default";
    const values = Object.fromEntries([...this.fields].filter(isChosen).map(([name, field]) => [name, this.read(field)]));
    download(`${this.page.game.hello.game}.json`, `${JSON.stringify(values, null, 2)}\n`);
  }
}

/** The least and the most number of a range. */
function limits({ least, most }) {
  return `${least.toLocaleString("en")} to ${most.toLocaleString("en")}`;
}

/** Keeps a whole number of a file as the text that stands there: the numbers of a page are not that exact. */
function exactly(name, value, context) {
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? context?.source ?? value : value;
}

/** The faults in an answer; that nothing could be read is one as well. */
function faultsIn({ ok, status, said }, name) {
  if (said?.faults) return said.faults;
  return ok ? [] : [{ field: name, why: said?.why ?? String(status) }];
}

/** Whether two values of a parameter are the same: a number may be written as a text. */
function same(one, other) {
  return String(one) === String(other);
}
