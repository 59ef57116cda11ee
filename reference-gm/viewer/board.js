// Lists the messages of the feed, one a line.

const board = document.getElementById("board");

function show(message) {
  const line = document.createElement("pre");
  line.textContent = JSON.stringify(message);
  board.append(line);
}

const embedded = document.getElementById("feed");
if (embedded) {
  JSON.parse(embedded.textContent).forEach(show);
} else {
  const socket = new WebSocket(`ws://${location.host}/feed${location.search}`);
  socket.addEventListener("message", (event) => show(JSON.parse(event.data)));
}
