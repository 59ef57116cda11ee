import java.io.BufferedReader;
import java.io.FileOutputStream;
import java.io.FileDescriptor;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * An agent for The Project Game: it reads lines of JSON and writes lines of JSON.
 *
 * <p>Change {@link #decide}. {@link #main} speaks the agent protocol and can stay as it is.
 */
public final class Agent {
    /** A field of the board. */
    record Field(int x, int y) {
        static Field of(Json pair) {
            return new Field(pair.at(0).number(), pair.at(1).number());
        }

        int distance(Field other) {
            return Math.abs(x - other.x) + Math.abs(y - other.y);
        }
    }

    private final int firstGoalRow;
    private final int endOfGoalRows;
    /** The agent's place among the agents of its team. */
    private final int place;
    private final int teamSize;

    Agent(Json hello) {
        Json config = hello.get("config");
        Json teams = hello.get("teams");
        int agent = hello.get("agent").number();
        int team = teams.at(agent).number();
        boolean isRed = hello.get("team_names").at(team).text().equals("red");
        int goalRows = config.get("goalAreaHeight").number();
        // Red's goal area is in the north, blue's in the south.
        firstGoalRow = isRed ? config.get("boardY").number() - goalRows : 0;
        endOfGoalRows = firstGoalRow + goalRows;
        int before = 0;
        int all = 0;
        for (int mate = 0; mate < teams.size(); mate++) {
            if (teams.at(mate).number() == team) {
                all++;
                before += mate < agent ? 1 : 0;
            }
        }
        place = before;
        teamSize = all;
    }

    /**
     * Returns the answer: {"do": ACTION}, {"walk": [X, Y]} or {"wait": MILLISECONDS}.
     *
     * <p>{@code see} has at, hand, distance, piece, points, questions, asked, silent, seen, board and, on large boards,
     * window. The message in {@link #main} also has `options`, `now`, the game time in milliseconds, and `events`, what the
     * agent has heard since its last decision. To use them, pass the message here.
     */
    String decide(Json see) {
        Field here = Field.of(see.get("at"));
        if (!see.get("hand").text().equals("empty")) {
            Field goal = goal(see, here);
            return goal.equals(here) ? act("put") : walk(goal, "a goal may be there");
        }
        if (see.get("piece").isNull()) {
            return act("discover");
        }
        Field piece = Field.of(see.get("piece"));
        return piece.equals(here) ? act("pick-up") : walk(piece, "a piece may be there");
    }

    /** Returns the nearest field that can be a goal, first in the agent's own share of the columns. */
    private Field goal(Json see, Field here) {
        Json board = see.get("board");
        // On a large board, the first character belongs to this field.
        Field first = see.get("window").isNull() ? new Field(0, 0) : Field.of(see.get("window"));
        Field best = new Field(here.x(), firstGoalRow);
        int lowest = Integer.MAX_VALUE;
        for (int row = 0; row < board.size(); row++) {
            int y = first.y() + row;
            String signs = board.at(row).text();
            for (int column = 0; column < signs.length() && y >= firstGoalRow && y < endOfGoalRows; column++) {
                Field field = new Field(first.x() + column, y);
                int share = field.x() % teamSize == place ? 0 : 1000;
                int cost = share + field.distance(here);
                if ("?G".indexOf(signs.charAt(column)) >= 0 && cost < lowest) {
                    best = field;
                    lowest = cost;
                }
            }
        }
        return best;
    }

    private static String act(String action) {
        return String.format("{\"do\":\"%s\"}", action);
    }

    private static String walk(Field field, String note) {
        return String.format("{\"walk\":[%d,%d],\"note\":\"%s\"}", field.x(), field.y(), note);
    }

    public static void main(String[] words) throws IOException {
        if (words.length > 0 && words[0].equals("--test")) {
            test();
            return;
        }
        // Only answers go to standard output: from here on, `System.out` writes to standard error.
        PrintStream answers = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        System.setOut(System.err);
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        Agent agent = null;
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            Json message = Json.read(line);
            String answer;
            switch (message.get("type").text()) {
                case "hello" -> {
                    agent = new Agent(message);
                    answer = "{\"type\":\"ready\",\"protocol\":1,\"name\":\"my agent\"}";
                }
                case "decide" -> answer = agent.decide(message.get("observation"));
                default -> {
                    continue;
                }
            }
            answers.print(answer + "\n");
            answers.flush();
        }
    }

    /** Tests one decision. `lines.jsonl` has the lines of a game that another agent played. */
    private static void test() throws IOException {
        List<String> lines = Files.readAllLines(Path.of("lines.jsonl"));
        // DECISION
        Agent agent = new Agent(Json.read(lines.get(0)));
        String answer = "nothing";
        // The agent may remember something of the decisions before, so it makes these too.
        for (String line : lines.subList(1, LINE_COUNT)) {
            Json message = Json.read(line);
            if (message.get("type").text().equals("decide")) {
                answer = agent.decide(message.get("observation"));
            }
        }
        if (!answer.equals(act("EXPECTED"))) {
            throw new AssertionError("expected EXPECTED, but the agent answers " + answer);
        }
        System.out.println("1 passed");
    }
}
