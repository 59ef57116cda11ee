
function main() {
  // Only answers go to standard output: from here on, `console.log` writes to standard error.
  console.log = console.error;
  const write = (answer) => process.stdout.write(JSON.stringify(answer) + "\n");
  let agent;
  readline.createInterface({ input: process.stdin }).on("line", (line) => {
    const message = JSON.parse(line);
    if (message.type === "hello") {
      agent = new Agent(message);
      write({ type: "ready", protocol: 1, name: "my agent" });
    } else if (message.type === "decide") {
      write(agent.decide(message.observation, message.options ?? []));
    }
  });
}

module.exports = { Agent };
if (require.main === module) main();
