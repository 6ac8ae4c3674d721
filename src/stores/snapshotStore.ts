/**
 * The port of the snapshot store: streams as they were folded, so that opening a long one is short. A view: all of it may be lost or
 * dropped, and none of it is believed without the log. What it keeps holds no personal data in clear.
 */

/** What a snapshot is of. */
export interface SnapshotHead {
  readonly stream: string
  /** Name and version of the form; one of another form is of no use. */
  readonly shape: string
  /** Of the event it stands on. */
  readonly revision: number
  readonly position: number
  /** Digest of that event, by which a log that was exchanged or cut is known. */
  readonly event: string
  /** How many parts it has. */
  readonly parts: number
  /** Keyed digest of the head and its parts. */
  readonly digest: string
}

/** Where a part belongs; parts are numbered from 0. */
export interface PartPlace {
  readonly stream: string
  readonly revision: number
  readonly part: number
}

/** Keeps nothing. */
export const noSnapshots: SnapshotStore = {
  newest: async () => undefined,
  part: async () => undefined,
  putPart: async () => undefined,
  publish: async () => undefined,
  drop: async () => undefined,
  close: async () => undefined,
}

export interface SnapshotStore {
  /** The newest snapshot of the stream; undefined when there is none. */
  readonly newest: (stream: string) => Promise<SnapshotHead | undefined>
  /** The text of a part; undefined when it is not there. */
  readonly part: (place: PartPlace) => Promise<string | undefined>
  /** Keeps a part, in place of one that is there. */
  readonly putPart: (place: PartPlace, text: string) => Promise<void>
  /** Makes it the newest, unless there is a newer one, and removes the parts of older ones. */
  readonly publish: (head: SnapshotHead) => Promise<void>
  /** Removes what is kept of the stream up to this revision; a newer one, which somebody else has made meanwhile, stays. */
  readonly drop: (head: Pick<SnapshotHead, 'stream' | 'revision'>) => Promise<void>
  readonly close: () => Promise<void>
}
