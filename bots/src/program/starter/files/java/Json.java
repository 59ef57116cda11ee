import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A value of JSON: an object, a list, a text, a number, true, false or null. */
final class Json {
    private static final Json NULL = new Json(null);

    private final Object value;

    private Json(Object value) {
        this.value = value;
    }

    /**
     * Reads a text.
     *
     * @throws IllegalArgumentException if the text is not one value of JSON
     */
    static Json read(String text) {
        Reader reader = new Reader(text);
        Json json = reader.value();
        reader.skipSpaces();
        if (reader.at < text.length()) {
            throw reader.fault("the end");
        }
        return json;
    }

    /** Returns a field of an object; null if there is no such field. */
    Json get(String name) {
        return ((Map<?, ?>) value).get(name) instanceof Json field ? field : NULL;
    }

    /** Returns an item of a list. */
    Json at(int place) {
        return (Json) ((List<?>) value).get(place);
    }

    /** Returns the number of items of a list. */
    int size() {
        return ((List<?>) value).size();
    }

    String text() {
        return (String) value;
    }

    // A number of 32 bits without sign, as `chance`, keeps its bits.
    int number() {
        return (int) ((Double) value).longValue();
    }

    boolean flag() {
        return (Boolean) value;
    }

    boolean isNull() {
        return value == null;
    }

    private static final class Reader {
        private final String text;
        private int at = 0;

        Reader(String text) {
            this.text = text;
        }

        IllegalArgumentException fault(String expected) {
            return new IllegalArgumentException("expected " + expected + " at character " + at + " of " + text);
        }

        void skipSpaces() {
            while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
                at++;
            }
        }

        /** Skips spaces, then this word if it is next. */
        boolean skip(String word) {
            skipSpaces();
            boolean isNext = text.startsWith(word, at);
            at += isNext ? word.length() : 0;
            return isNext;
        }

        void demand(String word) {
            if (!skip(word)) {
                throw fault("`" + word + "`");
            }
        }

        Json value() {
            if (skip("{")) {
                return object();
            } else if (skip("[")) {
                return list();
            } else if (skip("\"")) {
                return new Json(string());
            } else if (skip("true")) {
                return new Json(true);
            } else if (skip("false")) {
                return new Json(false);
            } else if (skip("null")) {
                return NULL;
            }
            return number();
        }

        private Json object() {
            Map<String, Json> fields = new LinkedHashMap<>();
            if (!skip("}")) {
                do {
                    demand("\"");
                    String name = string();
                    demand(":");
                    fields.put(name, value());
                } while (skip(","));
                demand("}");
            }
            return new Json(fields);
        }

        private Json list() {
            List<Json> items = new ArrayList<>();
            if (!skip("]")) {
                do {
                    items.add(value());
                } while (skip(","));
                demand("]");
            }
            return new Json(items);
        }

        private Json number() {
            int start = at;
            while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
                at++;
            }
            try {
                return new Json(Double.valueOf(text.substring(start, at)));
            } catch (NumberFormatException error) {
                at = start;
                throw fault("a value");
            }
        }

        /** Reads the rest of a text after its first quote. */
        private String string() {
            StringBuilder read = new StringBuilder();
            while (true) {
                char letter = next();
                if (letter == '"') {
                    return read.toString();
                }
                read.append(letter == '\\' ? escaped() : letter);
            }
        }

        private char escaped() {
            char letter = next();
            if (letter == 'u') {
                int code = 0;
                for (int digit = 0; digit < 4; digit++) {
                    int number = Character.digit(next(), 16);
                    if (number < 0) {
                        throw fault("four hexadecimal digits before this");
                    }
                    code = code * 16 + number;
                }
                return (char) code;
            }
            int known = "bfnrt\"\\/".indexOf(letter);
            if (known < 0) {
                throw fault("an escape before this");
            }
            return "\b\f\n\r\t\"\\/".charAt(known);
        }

        private char next() {
            if (at >= text.length()) {
                throw fault("`\"`");
            }
            return text.charAt(at++);
        }
    }
}
