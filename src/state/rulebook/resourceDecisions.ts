/** Decides to publish, delete and restore rules, recipes and flows, which all do so alike. */

import {
  Failure,
  type FailureCode,
  type FailureDetail,
  invalidRequest,
  requireExisting,
} from '../../domain/failure.ts'
import { canonicalJson } from '../../domain/text/canonicalJson.ts'
import { findEarlierVersion, type KnownVersion, type VersionRef } from './earlierVersions.ts'
import type { RulebookContext } from './rulebookStreams.ts'
import type { NamedEntries } from './rulebookWarnings.ts'

/** What a command that publishes is given beside the content. */
export interface PublishInput {
  readonly id: string
  /** Of the version that is made when the content is another. */
  readonly versionId: string
  /** Whether the command creates the resource, or it must exist. */
  readonly mode: 'create' | 'replace'
  /** Versions that the content pins and that may not be in memory; undefined where none are pinned. */
  readonly known?: readonly KnownVersion[] | undefined
}

interface Versioned {
  readonly version_id: string
}

/** How resources of one kind are deleted. */
export interface DeletedKind<State, Event> {
  readonly entries: (state: State) => NamedEntries
  readonly retiredEvent: (id: string) => Event
  /** The refusal while others name it; `users` are those in the state. Absent where nothing names it. */
  readonly inUse?: {
    readonly code: FailureCode
    readonly message: string
    readonly users: (state: State, id: string) => readonly string[]
  }
}

/** How decisions on one kind of resource differ from those on the others. */
export interface DecidedKind<State, Event, Content extends object>
  extends DeletedKind<State, Event> {
  readonly current: (state: State, id: string) => (Content & Versioned) | undefined
  /** The content without anything else that an object has. */
  readonly pick: (from: Content) => Content
  readonly problems: (state: State, id: string, content: Content) => readonly FailureDetail[]
  readonly versionEvent: (
    change: 'Published' | 'Restored',
    id: string,
    version: Content & Versioned,
  ) => Event
  /** Whether content that it has already is checked for problems as well. */
  readonly checksUnchanged?: boolean
  /** Whether there may be one more. Throws `conflict`. */
  readonly assertRoom?: (state: State) => void
  /** Throws for an earlier version that cannot be current again. */
  readonly assertRestorable?: (state: State, content: Content) => void
}

/**
 * The decision: every change is a new version (spec 2.6), which whatever names the resource runs from then on;
 * unchanged content makes none. Throws `not_found`, `conflict`, `invalid_request` with a path for everything that does
 * not fit.
 */
export function decidePublication<State, Event, Content extends object>(
  kind: DecidedKind<State, Event, Content>,
  state: State,
  input: Content & PublishInput,
): readonly Event[] {
  const { id, mode, versionId } = input
  const current = kind.current(state, id)
  if (mode === 'replace') requireExisting(current)
  else kind.assertRoom?.(state)
  const content = kind.pick(input)
  const isUnchanged = hasSameContent(current && kind.pick(current), content)
  if (isUnchanged && !kind.checksUnchanged) return []
  const problems = kind.problems(state, id, content)
  if (problems.length > 0) throw invalidRequest(problems)
  return isUnchanged
    ? []
    : [kind.versionEvent('Published', id, { ...content, version_id: versionId })]
}

/** Whether the current version has the same content: then there is nothing to publish. */
export function hasSameContent<Content extends object>(
  current: Content | undefined,
  content: Content,
): boolean {
  return current !== undefined && canonicalJson(current) === canonicalJson(content)
}

/** Reads the version from the log; its restoration is decided once the state is known. */
export async function prepareRestoration<State, Event, Content extends object>(
  context: RulebookContext,
  version: VersionRef,
  kind: DecidedKind<State, Event, Content>,
) {
  const earlier = await findEarlierVersion<Content & Versioned>(context, version)
  return (state: State) => decideRestoration(kind, state, { id: version.id, earlier })
}

interface Restored<Version> {
  readonly id: string
  /** The version as the log has it; undefined when there is none. */
  readonly earlier: Version | undefined
}

/**
 * The decision: the version keeps its id, so that pins still mean it; restoring the current one changes nothing. Throws
 * `not_found`, and what publishing this content would throw.
 */
export function decideRestoration<State, Event, Content extends object>(
  kind: DecidedKind<State, Event, Content>,
  state: State,
  { id, earlier }: Restored<Content & Versioned>,
): readonly Event[] {
  const current = requireExisting(kind.current(state, id))
  const version = requireExisting(earlier)
  const { version_id } = version
  if (current.version_id === version_id) return []
  const content = kind.pick(version)
  kind.assertRestorable?.(state, content)
  // only what it throws matters
  decidePublication(kind, state, { ...content, id, versionId: version_id, mode: 'replace' })
  return [kind.versionEvent('Restored', id, { ...content, version_id })]
}

interface Deleted {
  readonly id: string
  /** Those that name it and are not in the state. */
  readonly otherUsers?: readonly string[]
}

/**
 * The decision: what others name stays (`…_in_use`); one that is gone already is no error. Throws `not_found` for one
 * that never was.
 */
export function decideDeletion<State, Event>(
  { entries, inUse, retiredEvent }: DeletedKind<State, Event>,
  state: State,
  { id, otherUsers = [] }: Deleted,
): readonly Event[] {
  if (!requireExisting(entries(state).get(id)).current) return []
  if (inUse) assertUnused(inUse.code, inUse.message, [...inUse.users(state, id), ...otherUsers])
  return [retiredEvent(id)]
}

/** Throws `…_in_use`, with a detail for each of the users of what is to be deleted. */
export function assertUnused(code: FailureCode, message: string, users: readonly string[]): void {
  if (users.length === 0) return
  throw new Failure(code, message, { details: users.map((id) => ({ path: 'id', message: id })) })
}
