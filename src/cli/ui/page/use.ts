import { createContext } from "preact";
import { useCallback, useContext, useEffect, useRef, useState } from "preact/hooks";
import { ask } from "./ask.ts";

export interface Loaded<T> {
  readonly data: T | undefined;
  readonly problem: string | undefined;
  again(): void;
}

/** Asks the program, and again whenever it says that something changed. */
export function useAnswer<T>(
  path: string | undefined,
  query: Readonly<Record<string, string>> = {},
  turn = 0,
): Loaded<T> {
  const [data, setData] = useState<T>();
  const [problem, setProblem] = useState<string>();
  const id = `${path} ${JSON.stringify(query)}`;
  const load = useCallback(() => {
    if (path === undefined) return;
    ask<T>(path, query).then(
      (found) => {
        setData(found);
        setProblem(undefined);
      },
      (error: Error) => setProblem(error.message),
    );
  }, [id]);
  useEffect(load, [load, turn]);
  return { data, problem, again: load };
}

/** Where paths are told from: the home that `~` stands for, and the project. */
export const Place = createContext<{ readonly home: string; readonly project?: string | undefined }>({ home: "" });

/** Says a path as a person would. */
export function useTilde(): (path: string) => string {
  const { home, project } = useContext(Place);
  const below = tildeFor(home);
  return (path) =>
    project !== undefined && path.startsWith(`${project}/`) ? path.slice(project.length + 1) : below(path);
}

export function tildeFor(home: string): (path: string) => string {
  return (path) => (home !== "" && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path);
}

/** Counts up with every change that the program tells of. */
export function useTurns(): number {
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const events = new EventSource("/api/events");
    events.addEventListener("changed", () => setTurn((count) => count + 1));
    return () => events.close();
  }, []);
  return turn;
}

/**
 * Keys that no input is waiting for. What they do is looked up when one is pressed: quick typing must not meet
 * yesterday's answers.
 */
export function useKeys(keys: Readonly<Record<string, () => void>>): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return;
      // Enter on a button or link presses that.
      if (event.key === "Enter" && /^(BUTTON|A|SUMMARY)$/.test(target.tagName)) return;
      const action = latest.current[event.key];
      if (action === undefined) return;
      event.preventDefault();
      action();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}
