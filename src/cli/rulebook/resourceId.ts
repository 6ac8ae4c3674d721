/** Resolves a rule, recipe or flow argument: an id or a name. */

import { nearest } from '../../domain/text/nearest.ts'
import type { Body, Client } from '../connecting/client.ts'
import { listAll } from '../connecting/search.ts'
import { type CliError, cliError, exitCodes, isCliError, usageError } from '../terminal/cliError.ts'
import { isIdOf, kindFacts, type ResourceKind, resourceKinds } from './folder/kind.ts'

interface Sought {
  readonly kind: ResourceKind
  /** Of the collection in which a name is looked for; the account's own unless given. */
  readonly path?: string
}

/** Ids that are told of a name that several have. */
const idsTold = 10

/**
 * Returns an id as given, without a request, or the id of the only resource with this name, else of the only one that matches without
 * regard to case. Throws `usage` for an id of another kind and for an ambiguous name, `not_found` for an unknown name.
 */
export async function resourceId(
  client: Client,
  { kind, path = kindFacts[kind].path }: Sought,
  text: string,
): Promise<string> {
  if (isIdOf(kind, text)) return text
  refuseOtherId(kind, text)
  const items = await listAll(client, { path, name: kind }).catch((thrown: unknown) => {
    throw unlisted(kind, thrown)
  })
  const [found, ...others] = namedLike(items, text)
  if (!found) throw unknownName(kind, items, text)
  if (others.length > 0) throw ambiguous(kind, [found, ...others], text)
  return String(found['id'])
}

function refuseOtherId(kind: ResourceKind, text: string): void {
  const { noun, prefix } = kindFacts[kind]
  if (text === '') throw usageError(`Give the id of a ${noun} (${prefix}_…), or its name.`)
  const other = resourceKinds.find((one) => isIdOf(one, text))
  if (!other) return
  throw usageError(
    `"${text}" is the id of a ${kindFacts[other].noun}, not of a ${noun} (${prefix}_…).`,
  )
}

function namedLike(items: readonly Body[], text: string): readonly Body[] {
  const same = items.filter(({ name }) => formOf(name) === formOf(text))
  if (same.length > 0) return same
  return items.filter(({ name }) => formOf(name).toLowerCase() === formOf(text).toLowerCase())
}

/** The same characters may be written in two ways. */
function formOf(name: unknown): string {
  return String(name).normalize('NFC')
}

/** Who may evaluate need not be allowed to list. */
function unlisted(kind: ResourceKind, thrown: unknown): unknown {
  if (!isCliError(thrown) || thrown.facts['code'] !== 'insufficient_scope') return thrown
  const { noun, prefix } = kindFacts[kind]
  const hint = `A name is looked up with the scope author; without it, give the id of the ${noun} (${prefix}_…).`
  return cliError(thrown.message, thrown.exitCode, { ...thrown.facts, hint })
}

function unknownName(kind: ResourceKind, items: readonly Body[], text: string): CliError {
  const { noun } = kindFacts[kind]
  const meant = nearest(
    text,
    items.map(({ name }) => String(name)),
  )
  const guess = meant === undefined ? '' : ` Did you mean "${meant}"?`
  return cliError(`There is no ${noun} called "${text}".${guess}`, exitCodes.refused, {
    code: 'not_found',
    hint: `See: vigil ${kind} list`,
  })
}

function ambiguous(kind: ResourceKind, items: readonly Body[], text: string): CliError {
  const ids = items.map(({ id }) => String(id))
  const more = ids.length > idsTold ? ', …' : ''
  return usageError(
    `${ids.length} ${kind} are called "${text}"; give the id: ${ids.slice(0, idsTold).join(', ')}${more}`,
    { code: 'ambiguous_name', ids },
  )
}
