"use strict";
// Draws all charts in the colours of the page, anew whenever those change.
(() => {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const draw = () => {
    const style = getComputedStyle(document.documentElement);
    const [ink, muted, line] = ["--ink", "--muted", "--line"].map((name) => style.getPropertyValue(name).trim());
    const narrow = innerWidth < 600;
    const config = {
      background: "transparent",
      padding: { left: 0, top: 4, right: narrow ? 28 : 8, bottom: 4 },
      font: "system-ui, sans-serif",
      view: { stroke: null },
      axis: { labelColor: ink, titleColor: muted, gridColor: line, domainColor: line, tickColor: line, labelLimit: narrow ? 110 : 220, labelFontSize: 12, titleFontSize: 12, titleFontWeight: "normal" },
      legend: { labelColor: ink, titleColor: muted, orient: "bottom", columns: narrow ? 2 : 6, labelFontSize: 12, symbolLimit: 60 },
      rule: { color: ink },
      point: { color: "#0d9488" },
      range: { category: ["#0d9488", "#c2410c", "#7c3aed", "#ca8a04", "#2563eb", "#db2777", "#65a30d", "#78716c", "#0891b2", "#b91c1c", "#a855f7", "#4d7c0f"] },
    };
    for (const element of document.querySelectorAll("script.spec")) {
      const spec = { $schema: "https://vega.github.io/schema/vega-lite/v6.json", ...JSON.parse(element.textContent), config };
      vegaEmbed(document.getElementById(element.dataset.chart), spec, { actions: false, renderer: "svg", mode: "vega-lite" }).catch((error) => {
        document.getElementById(element.dataset.chart).textContent = `This chart cannot be drawn: ${error.message}. The tables of the page have the results.`;
      });
    }
  };
  dark.addEventListener("change", draw);
  draw();
})();
