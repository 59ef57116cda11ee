

def main():
    # Only answers go to standard output: from here on, `print` writes to standard error.
    answers, sys.stdout = sys.stdout, sys.stderr
    agent = None
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            agent = Agent(message)
            answer = {"type": "ready", "protocol": 1, "name": "my agent"}
        elif message["type"] == "decide":
            answer = agent.decide(message["observation"], message.get("options", []))
        else:
            continue
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
