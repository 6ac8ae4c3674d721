/** Events of a stream folded into what is held of it. */

import type { DecodedEvent, DomainEvent } from '../../events/recording/event.ts'
import type { Family, FoldedStream } from './family.ts'
import { rememberCommand } from './rememberedCommands.ts'

/** A stream of which nothing has been folded. */
export function fresh<State, Event extends DomainEvent>(
  family: Family<State, Event>,
): FoldedStream<State> {
  return {
    state: family.initial(),
    revision: -1,
    position: 0,
    known: 0,
    trusted: true,
    commands: new Map(),
    kept: -1,
    lastCommand: undefined,
  }
}

/** Folds events that follow the folded revision, those that are folded already left out. Throws on a hole before one. */
export function foldAll<State, Event extends DomainEvent>(
  folded: FoldedStream<State>,
  all: readonly DecodedEvent<Event>[],
  family: Family<State, Event>,
): void {
  foldPart(folded, all, family)
  trimAll(folded, all, family)
}

/** Folds a part of a page, of which nothing is forgotten before all of it is folded. Throws on a hole. */
export function foldPart<State, Event extends DomainEvent>(
  folded: FoldedStream<State>,
  part: readonly DecodedEvent<Event>[],
  family: Family<State, Event>,
): void {
  for (const decoded of part) foldOne(folded, decoded, family)
}

/** Forgets what these events, which were folded, have made old. */
export function trimAll<State, Event extends DomainEvent>(
  { state }: FoldedStream<State>,
  all: readonly DecodedEvent<Event>[],
  { trim }: Family<State, Event>,
): void {
  trim?.(
    state,
    all.map(({ event }) => event),
  )
}

function foldOne<State, Event extends DomainEvent>(
  folded: FoldedStream<State>,
  decoded: DecodedEvent<Event>,
  family: Family<State, Event>,
): void {
  if (decoded.revision !== folded.revision + 1) {
    if (decoded.revision <= folded.revision) return
    throw new Error(`stream ${decoded.stream} has a hole before revision ${decoded.revision}`)
  }
  folded.state = family.evolve(folded.state, decoded.event, decoded.revision)
  folded.revision = decoded.revision
  folded.position = decoded.position
  // whatever came to the stream before this event has been folded
  folded.known = Math.max(folded.known, decoded.position)
  rememberCommand(folded.commands, decoded, folded.lastCommand)
  folded.lastCommand = decoded.metadata.command
}
