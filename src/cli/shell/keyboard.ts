/** Keys as a person presses them, one at a time. */
export interface Keyboard {
  /**
   * The next key: a letter as it is, or `enter`, `space`, `up`, `down`, `page-up`, `page-down`, `escape`, `ctrl-c`, `end`
   * (no more input);
   * `redraw` where the window was resized, or the program comes back from the background.
   */
  next(): Promise<string>;
  /** Gives the terminal back for as long as another program runs, such as an editor. */
  lend<T>(use: () => T): T;
  close(): void;
}

const named: Readonly<Record<string, string>> = {
  "\r": "enter",
  "\n": "enter",
  " ": "space",
  "\u0003": "ctrl-c",
  "\u0004": "end",
  "\u001b": "escape",
  "\u001b[A": "up",
  "\u001b[B": "down",
  "\u001b[5~": "page-up",
  "\u001b[6~": "page-down",
  "\u001bOA": "up",
  "\u001bOB": "down",
};

const suspend = "\u001a";

/** The keyboard of the terminal this process runs on. */
export function openKeyboard(input: NodeJS.ReadStream, output: NodeJS.WriteStream): Keyboard {
  const waiting: ((key: string) => void)[] = [];
  const pressed: string[] = [];
  const give = (key: string) => {
    const first = waiting.shift();
    if (first === undefined) pressed.push(key);
    else first(key);
  };
  const onData = (bytes: Buffer) => {
    for (const key of keysIn(bytes.toString("utf8")))
      if (key === suspend) goToBackground();
      else give(key);
  };
  const redraw = () => give("redraw");
  // In raw mode Ctrl-Z is a key like others. The timer runs out when somebody brings the program back.
  const goToBackground = () => {
    if (process.platform === "win32") return;
    input.setRawMode(false);
    process.kill(0, "SIGTSTP");
    setTimeout(() => {
      input.setRawMode(true);
      redraw();
    }, 100);
  };
  const onEnd = () => give("end");
  input.setRawMode(true);
  input.on("data", onData).on("end", onEnd).resume();
  output.on("resize", redraw);
  return {
    next: () => {
      const key = pressed.shift();
      return key === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(key);
    },
    lend: (use) => {
      input.setRawMode(false);
      input.pause();
      try {
        return use();
      } finally {
        input.setRawMode(true);
        input.resume();
      }
    },
    close: () => {
      input.off("data", onData).off("end", onEnd);
      output.off("resize", redraw);
      input.setRawMode(false);
      input.pause();
    },
  };
}

/** What a terminal sends at once may be several keys; a sequence we do not know is none. */
function* keysIn(text: string): Iterable<string> {
  for (const [key] of text.matchAll(/\u001b(?:\[[0-9;]*[A-Za-z~]|O[A-Z])?|[\s\S]/gu)) {
    const name = named[key];
    if (name !== undefined) yield name;
    else if (!key.startsWith("\u001b")) yield key;
  }
}
