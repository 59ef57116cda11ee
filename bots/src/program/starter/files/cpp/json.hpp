// A value of JSON: an object, a list, a text, a number, true, false or null.

#pragma once

#include <cstddef>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

class Json {
public:
    // Reads a text. Throws std::runtime_error if the text is not one value of JSON.
    static Json read(const std::string& text) {
        Reader reader{text};
        Json json = reader.value();
        reader.skip_spaces();
        if (reader.at < text.size()) reader.fail("the end");
        return json;
    }

    // Returns a field of an object; null if there is no such field.
    const Json& get(const std::string& name) const {
        static const Json null;
        for (std::size_t place = 0; place < names_.size(); place++)
            if (names_[place] == name) return items_[place];
        return null;
    }

    // Returns an item of a list. Throws std::out_of_range if it has no such item.
    const Json& at(std::size_t place) const { return items_.at(place); }

    // Returns the number of items of a list.
    std::size_t size() const { return items_.size(); }

    const std::string& text() const { return text_; }
    // A number of 32 bits without sign, as `chance`, keeps its bits.
    int number() const { return static_cast<int>(static_cast<long long>(number_)); }
    bool flag() const { return number_ != 0; }
    bool is_null() const { return is_null_; }

private:
    bool is_null_ = true;
    double number_ = 0;
    std::string text_;
    std::vector<std::string> names_;
    std::vector<Json> items_;

    struct Reader {
        const std::string& text;
        std::size_t at = 0;

        [[noreturn]] void fail(const std::string& expected) const {
            throw std::runtime_error("expected " + expected + " at byte " + std::to_string(at) + " of " + text);
        }

        void skip_spaces() {
            while (at < text.size() && std::string(" \t\r\n").find(text[at]) != std::string::npos) at++;
        }

        // Skips spaces, then this word if it is next.
        bool skip(const std::string& word) {
            skip_spaces();
            const bool is_next = text.compare(at, word.size(), word) == 0;
            if (is_next) at += word.size();
            return is_next;
        }

        void demand(const std::string& word) {
            if (!skip(word)) fail("`" + word + "`");
        }

        Json value() {
            Json json;
            if (skip("null")) return json;
            json.is_null_ = false;
            if (skip("{")) {
                if (skip("}")) return json;
                do {
                    demand("\"");
                    json.names_.push_back(string());
                    demand(":");
                    json.items_.push_back(value());
                } while (skip(","));
                demand("}");
            } else if (skip("[")) {
                if (skip("]")) return json;
                do json.items_.push_back(value());
                while (skip(","));
                demand("]");
            } else if (skip("\"")) {
                json.text_ = string();
            } else if (skip("true")) {
                json.number_ = 1;
            } else if (!skip("false")) {
                json.number_ = number();
            }
            return json;
        }

        double number() {
            const char* start = text.c_str() + at;
            char* end = nullptr;
            const double number = std::strtod(start, &end);
            if (end == start) fail("a value");
            at += static_cast<std::size_t>(end - start);
            return number;
        }

        // Reads the rest of a text after its first quote.
        std::string string() {
            std::string read;
            for (char letter = next(); letter != '"'; letter = next()) {
                if (letter != '\\') {
                    read += letter;
                    continue;
                }
                letter = next();
                const std::size_t known = std::string("bfnrt\"\\/").find(letter);
                if (letter == 'u') {
                    append(read, code_point());
                } else if (known == std::string::npos) {
                    fail("an escape before this");
                } else {
                    read += "\b\f\n\r\t\"\\/"[known];
                }
            }
            return read;
        }

        // Reads the digits of an escape; two escapes are one character if the first is a high surrogate.
        unsigned code_point() {
            const unsigned first = four_digits();
            if (first < 0xD800 || first >= 0xDC00) return first;
            if (next() != '\\' || next() != 'u') fail("a low surrogate before this");
            return 0x10000 + ((first - 0xD800) << 10) + ((four_digits() - 0xDC00) & 0x3FF);
        }

        unsigned four_digits() {
            unsigned code = 0;
            for (int digit = 0; digit < 4; digit++) {
                const std::size_t number = std::string("0123456789abcdef0123456789ABCDEF").find(next());
                if (number == std::string::npos) fail("four hexadecimal digits before this");
                code = code * 16 + static_cast<unsigned>(number % 16);
            }
            return code;
        }

        // Appends a character in UTF-8.
        static void append(std::string& read, unsigned code) {
            const auto put = [&read](unsigned byte) { read += static_cast<char>(byte); };
            const auto follow = [&](int shift) { put(0x80 | ((code >> shift) & 0x3F)); };
            if (code < 0x80) {
                put(code);
            } else if (code < 0x800) {
                put(0xC0 | (code >> 6)), follow(0);
            } else if (code < 0x10000) {
                put(0xE0 | (code >> 12)), follow(6), follow(0);
            } else {
                put(0xF0 | (code >> 18)), follow(12), follow(6), follow(0);
            }
        }

        char next() {
            if (at >= text.size()) fail("`\"`");
            return text[at++];
        }
    };
};
