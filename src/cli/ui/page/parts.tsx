import { useEffect, useRef, useState } from "preact/hooks";

/** A unified diff, its lines told apart by sign and ground. */
export function Diff({ text }: { text: string }) {
  // The name of the file stands above it.
  const lines = text
    .replace(/\n$/, "")
    .split("\n")
    .filter((line, i) => i > 1 || !/^(?:---|\+\+\+) /.test(line));
  return (
    <section class="diff" aria-label="Changed lines" tabIndex={0}>
      {lines.map((line) => (
        <div class={line.startsWith("+") ? "plus" : line.startsWith("-") ? "minus" : ""}>
          {line === "" ? " " : line}
        </div>
      ))}
    </section>
  );
}

export function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  return typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
}

/** A text with the part marked in which it differs from another. */
export function Marked({ text, beside }: { text: string; beside: string }) {
  let start = 0;
  while (start < text.length && text[start] === beside[start]) start++;
  let end = 0;
  while (
    end < text.length - start &&
    end < beside.length - start &&
    text[text.length - 1 - end] === beside[beside.length - 1 - end]
  )
    end++;
  const middle = text.slice(start, text.length - end);
  // Where all of it differs, there is nothing to point at.
  if (text === beside || middle === "" || middle === text) return <>{text}</>;
  return (
    <>
      {text.slice(0, start)}
      <mark>{middle}</mark>
      {text.slice(text.length - end)}
    </>
  );
}

/** More than this of what all sides have in common is left out. */
const mostInCommon = 120;

/**
 * How much long texts have in common before and behind where they differ, less a little to read around it. Zero where
 * that is not much.
 */
export function inCommon(texts: readonly string[]): { readonly before: number; readonly behind: number } {
  const [first = "", ...others] = texts;
  const shortest = Math.min(...texts.map((text) => text.length));
  let before = 0;
  while (before < shortest && others.every((text) => text[before] === first[before])) before++;
  let behind = 0;
  const last = (text: string) => text[text.length - 1 - behind];
  while (behind < shortest - before && others.every((text) => last(text) === last(first))) behind++;
  const less = (count: number) => (count > mostInCommon ? count - mostInCommon / 2 : 0);
  return others.length === 0 ? { before: 0, behind: 0 } : { before: less(before), behind: less(behind) };
}

const step = 60;

/** The first of many, and more as they come into view: ten thousand are there at once. */
export function More<T>({
  items,
  draw,
  total = items.length,
  load,
}: {
  items: readonly T[];
  draw: (item: T, at: number) => preact.ComponentChild;
  /** How many there are, where not all of them have been asked for yet. */
  total?: number | undefined;
  load?: () => void;
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

const rowHeight = 20;

/** Lines of one height, of which only those in view are drawn. */
export function Rows<T>({
  items,
  draw,
  label,
}: {
  items: readonly T[];
  draw: (item: T, at: number) => preact.ComponentChild;
  label: string;
}) {
  const [top, setTop] = useState(0);
  const first = Math.max(0, Math.floor(top / rowHeight) - 20);
  const visible = items.slice(first, first + 120);
  return (
    <section
      class="lines"
      aria-label={label}
      onScroll={(event) => setTop((event.currentTarget as HTMLElement).scrollTop)}
    >
      <div ref={(spacer) => spacer?.style.setProperty("height", `${items.length * rowHeight}px`)}>
        <div ref={(shift) => shift?.style.setProperty("transform", `translateY(${first * rowHeight}px)`)}>
          {visible.map((item, i) => draw(item, first + i))}
        </div>
      </div>
    </section>
  );
}

export function Problem({ text }: { text: string | undefined }) {
  return text === undefined ? null : (
    <p class="note" role="alert">
      {text}
    </p>
  );
}
