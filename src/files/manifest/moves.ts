import { InputError } from "../../core/diagnostic.ts";
import type { PlaceMove } from "../../engine/place.ts";
import { settingType } from "../../identity/rules/keys.ts";
import type { Reading } from "../../readings/reading.ts";
import type { Move } from "./pack.ts";

/** Which of these moves are about entries of a file. A key that its rules can't make is one of another file, unless the move names this one. */
export function movesWithin(moves: readonly Move[], reading: Reading): PlaceMove[] {
  return moves.flatMap((move) => {
    const read = readMove(move, reading);
    if (read.kind === "malformed" && move.file !== undefined) throw strangeMove(move, read.message);
    return read.kind === "malformed" || goesIntoItself(move) ? [] : [read];
  });
}

/** A move whose keys no file can have is a mistake. */
export function refuseStrangeMoves(moves: readonly Move[], readings: readonly Reading[]): void {
  for (const move of moves) {
    const read = readings.map((reading) => readMove(move, reading));
    const [first] = read;
    if (first?.kind === "malformed" && read.every(({ kind }) => kind === "malformed")) throw strangeMove(move, first.message);
  }
}

type ReadMove = ({ readonly kind: "move" } & PlaceMove) | { readonly kind: "malformed"; readonly message: string };

function readMove(move: Move, reading: Reading): ReadMove {
  const from = reading.identity(move.from);
  if (from.kind === "malformed") return from;
  const to = reading.identity(move.to);
  return to.kind === "malformed" ? to : { kind: "move", from: from.match, to: to.match };
}

function strangeMove({ where }: Move, message: string): InputError {
  return new InputError({ code: "invalid-key", message: `moved: ${message}`, ...where?.() });
}

/** A setting that goes into itself (`a` to `a.b`) is no rename: the one has to go before the other can stand. */
function goesIntoItself({ from, to }: Move): boolean {
  return isWithin(from, to) || isWithin(to, from);
}

function isWithin(inner: string, outer: string): boolean {
  return outer.startsWith(`${settingType}:`) && inner.startsWith(`${outer}.`);
}
