/** What was probably meant by a name that nothing has. */

import { nearest } from '../../../domain/nearest.ts'
import { isName, nameRoots, readableNames } from '../names.ts'
import type { Checking } from './checking.ts'
import { functionMeant } from './functionHint.ts'

/** What other languages and other rules call what is here. */
const synonyms: ReadonlyMap<string, string> = new Map([
  ['now', 'request.time'],
  ['ua', 'signal.user_agent'],
  ['platform', 'signal.device_platform'],
  ['model', 'signal.device_model'],
  ['True', 'true'],
  ['TRUE', 'true'],
  ['False', 'false'],
  ['FALSE', 'false'],
])

/** What would help with the names along a chain of dots and brackets; undefined where nothing is near. */
export function nameHint(path: readonly string[], checking: Checking): string | undefined {
  const meant = nameMeant(path, checking)
  if (meant !== undefined) return `did you mean '${meant}'?`
  const [root, ext] = path
  return root === 'signal' && ext === 'ext' && path.length === 2
    ? 'it takes a key, as in signal.ext.key'
    : undefined
}

function nameMeant(path: readonly string[], checking: Checking): string | undefined {
  const [root = '', ...rest] = path
  const known = namesFor(checking)
  if (rest.length === 0) return wordMeant(root, checking, known)
  if (!nameRoots.has(root)) return otherRoot(path, checking)
  return fieldMeant(path) ?? extMeant(path) ?? underRoot(path, known)
}

/** A word alone: a variable, or what stands behind the dot of a name. */
function wordMeant(
  word: string,
  { variables }: Checking,
  known: readonly string[],
): string | undefined {
  const lasts = new Map(known.map((name) => [name.slice(name.indexOf('.') + 1), name]))
  const near = nearest(word, [...variables.keys(), ...lasts.keys()])
  return synonyms.get(word) ?? (near === undefined ? undefined : (lasts.get(near) ?? near))
}

/** `signals.ip`: the name with the root that comes nearest, or what is meant by that name. */
function otherRoot(
  [root = '', ...rest]: readonly string[],
  checking: Checking,
): string | undefined {
  const near = nearest(root, nameRoots)
  if (near === undefined) return undefined
  const path = [near, ...rest]
  return isName(path.join('.'), checking.parameters) ? path.join('.') : nameMeant(path, checking)
}

/** `signal.ip.length`: what stands before the last dot is a name, and values have no fields but functions. */
function fieldMeant(path: readonly string[]): string | undefined {
  const name = path.slice(0, -1).join('.')
  if (!isName(name, undefined)) return undefined
  const [, ext, ...keys] = path
  const meant = functionMeant(path.at(-1) ?? '')
  if (meant === undefined) return ext === 'ext' ? `signal.ext["${keys.join('.')}"]` : undefined
  return meant.startsWith('x.') ? meant.replace('x', name) : meant.replace('…', name)
}

/** `signal.extt.a`: a mistyped `ext`, since nothing else below a root has names of its own. */
function extMeant([root, ext = '', key, ...more]: readonly string[]): string | undefined {
  if (root !== 'signal' || key === undefined || more.length > 0) return undefined
  if (nearest(ext, ['ext']) === undefined) return undefined
  return /^\w+$/.test(key) ? `signal.ext.${key}` : `signal.ext[${JSON.stringify(key)}]`
}

/** The nearest name below the root; below `signal`, what else can it be but a value of the caller's own. */
function underRoot(path: readonly string[], known: readonly string[]): string | undefined {
  const [root = '', ...rest] = path
  const field = rest.join('.')
  const elsewhere = known.find((name) => name.endsWith(`.${field}`))
  if (elsewhere !== undefined) return elsewhere
  const fields = known
    .filter((name) => name.startsWith(`${root}.`))
    .map((name) => name.slice(root.length + 1))
  const near = nearest(field, fields)
  if (near !== undefined) return `${root}.${near}`
  if (root === 'list') return `inList(${JSON.stringify(field)}, …)`
  const own = root === 'signal' && field !== 'ext' && /^\w+$/.test(field)
  return own ? `signal.ext.${field}` : synonyms.get(field)
}

function namesFor({ parameters = new Map() }: Checking): readonly string[] {
  return [
    ...readableNames.map(({ name }) => name),
    ...[...parameters.keys()].map((name) => `param.${name}`),
  ]
}
