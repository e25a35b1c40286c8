import { useEffect, useRef, useState } from "preact/hooks";

/** A unified diff, its lines told apart by sign and ground. */
export function Diff({ text }: { text: string }) {
  // The name of the file stands above it.
  const lines = text
    .replace(/\n$/, "")
    .split("\n")
    .filter((line, i) => i > 1 || !/^(?:---|\+\+\+) /.test(line));
  return (
    <section class="diff" aria-label="Changed lines">
      {lines.map((line) => (
        <div class={line.startsWith("+") ? "plus" : line.startsWith("-") ? "minus" : ""}>
          {line === "" ? " " : line}
        </div>
      ))}
    </section>
  );
}

/** As many signs as fit on a line of a narrow column. */
const mostUnbroken = 30;

/** A text that is broken between its parts rather than inside one, unless a part is longer than a line. */
export function Unbroken({ text, between }: { text: string; between: RegExp }) {
  const parts = text.length > mostUnbroken ? text.split(between) : [text];
  return (
    <>
      {parts.map((part) => (
        <>
          {part.length > mostUnbroken ? part : <span class="whole">{part}</span>}
          <wbr />
        </>
      ))}
    </>
  );
}

/** The first of many, and more as they come into view: ten thousand are there at once. */
export function More<T>({
  items,
  draw,
  total = items.length,
  load,
  step = 60,
}: {
  items: readonly T[];
  draw: (item: T, at: number) => preact.ComponentChild;
  /** How many there are, where not all of them have been asked for yet. */
  total?: number | undefined;
  load?: () => void;
  /** How many more at a time: more of what is small. */
  step?: number;
}) {
  const [count, setCount] = useState(step);
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const at = end.current;
    if (at === null) return;
    const observer = new IntersectionObserver((seen) => {
      if (!seen.some(({ isIntersecting }) => isIntersecting)) return;
      if (count < items.length) setCount(count + step);
      else load?.();
    });
    observer.observe(at);
    return () => observer.disconnect();
  }, [items.length, count]);
  return (
    <>
      {items.slice(0, count).map(draw)}
      {count < total && (
        <div ref={end} class="quiet">
          {total - Math.min(count, items.length)} more below
        </div>
      )}
    </>
  );
}

export function Problem({ text }: { text: string | undefined }) {
  return text === undefined ? null : (
    <p class="note" role="alert">
      {text}
    </p>
  );
}
