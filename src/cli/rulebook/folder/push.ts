/** Makes the service say what a folder has. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Client } from '../../connecting/client.ts'
import { segment } from '../../connecting/segment.ts'
import { cliError, interruptedError } from '../../terminal/cliError.ts'
import { exitCodes } from '../../terminal/exitCode.ts'
import type { Change } from './changes.ts'
import { insertId } from './insertId.ts'
import { type Kind, kindFacts, kinds } from './kind.ts'
import type { FolderProblem } from './problem.ts'
import type { ByKind } from './readFolder.ts'
import { bodyOfFields, type Translate } from './references.ts'
import type { ResourceFile } from './resourceFile.ts'
import { writeFile } from './writeFile.ts'

export interface Push {
  readonly client: Client
  readonly folder: string
  readonly files: ByKind<ResourceFile>
  readonly interrupted: AbortSignal
  /** Told of each change once the service has it. */
  readonly onDone: (change: Change, id: string | undefined) => void
}

/** What a push has to do, in order: what is referred to before what refers to it, and deleted after it. */
export function stepsOf(changes: readonly Change[], prune: boolean): readonly Change[] {
  const writes = changes.filter(({ action }) => action === 'create' || action === 'update')
  const deletions = changes.filter(({ action }) => action === 'delete')
  const backwards = [...kinds].reverse()
  return [
    ...writes,
    ...(prune
      ? backwards.flatMap((kind) => deletions.filter((change) => change.kind === kind))
      : []),
  ]
}

/**
 * What a push that prunes would delete of kinds that have no place in the folder, a problem for each kind: that a place is missing
 * does not say that nothing of its kind is wanted, an empty one does.
 */
export function unsaidDeletions(
  changes: readonly Change[],
  absent: ReadonlySet<Kind>,
): readonly FolderProblem[] {
  return [...absent].flatMap((kind) => {
    const count = changes.filter(
      (change) => change.action === 'delete' && change.kind === kind,
    ).length
    const message = `is not there, and --prune would delete all ${kind} of the service (${count}); make it, empty, to have none.`
    return count === 0 ? [] : [{ path: `${kind}/`, message }]
  })
}

/** Carries out the steps one after the other; the first that fails ends it. A new id is in its file before the next step. */
export async function pushSteps(push: Push, steps: readonly Change[]): Promise<void> {
  const made = new Map<string, string>()
  const idOfSlug = idsOf(push.files, made)
  for (const step of steps) {
    if (push.interrupted.aborted) throw interruptedError()
    const id = await carryOut(push, step, idOfSlug).catch((thrown: unknown) => {
      throw named(thrown, step)
    })
    push.onDone(step, id)
    if (step.file && step.action === 'create' && id !== undefined) {
      made.set(`${step.kind}/${step.file.slug}`, id)
      keepId(push.folder, step, id)
    }
  }
}

/** The id of the file with that slug, also of one made just now. */
function idsOf(files: ByKind<ResourceFile>, made: ReadonlyMap<string, string>): Translate {
  const ids = (kind: Kind): ReadonlyMap<string, string | undefined> =>
    new Map(files[kind].map(({ slug, id }) => [slug, id]))
  const known = { rules: ids('rules'), recipes: ids('recipes'), flows: ids('flows') }
  return (kind, slug) => known[kind].get(slug) ?? made.get(`${kind}/${slug}`) ?? slug
}

async function carryOut(
  { client }: Push,
  step: Change,
  idOfSlug: Translate,
): Promise<string | undefined> {
  const { kind, action, id, folder = {} } = step
  const { path } = kindFacts[kind]
  if (action === 'create') {
    const { body } = await client('POST', path, { body: bodyOfFields(kind, folder, idOfSlug) })
    return String(body['id'])
  }
  const itemPath = `${path}/${segment(id ?? '')}`
  const ifMatch = await presentTag(client, step, itemPath)
  if (action === 'delete') await client('DELETE', itemPath, { ifMatch })
  else await client('PUT', itemPath, { body: bodyOfFields(kind, folder, idOfSlug), ifMatch })
  return id
}

/** The entity tag of what is about to be replaced. Throws when it is not what the changes were worked out from. */
async function presentTag(
  client: Client,
  { view, name }: Change,
  path: string,
): Promise<string | undefined> {
  const { body, etag } = await client('GET', path)
  if (isDeepStrictEqual(body, view)) return etag
  throw cliError(
    `${name} was changed on the service since the push began; look at it with: vigil diff`,
    exitCodes.refused,
    { code: 'changed_meanwhile' },
  )
}

function keepId(folder: string, { name }: Change, id: string): void {
  try {
    writeFile(folder, name, insertId(readFileSync(join(folder, name), 'utf8'), id))
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown)
    throw cliError(
      `${name} was created as ${id}, which could not be written into the file: ${reason} Write this line into it: id: ${id}`,
      exitCodes.usage,
      { code: 'id_not_kept', id, file: name },
    )
  }
}

/** The same error, with the file it is about. */
function named(thrown: unknown, { name }: Change): unknown {
  if (!(thrown instanceof Error) || !('exitCode' in thrown)) return thrown
  if (!thrown.message.includes(name)) thrown.message = `${name}: ${thrown.message}`
  return thrown
}
