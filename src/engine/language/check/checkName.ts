/** Resolves names (`signal.…`, `target.…`) and loop variables, with hints for misspelled ones. */

import { nearestName } from '../../../domain/text/nearestName.ts'
import type { ValueType } from '../expression.ts'
import {
  findNameType,
  formatExtName,
  isReadableName,
  nameRoots,
  readableNames,
} from '../readableNames.ts'
import type { SourceRange, Syntax } from '../syntax.ts'
import { addProblem, type CheckContext, formatSuggestion, type TypedNode } from './checkContext.ts'
import { suggestValueFunction } from './functionHint.ts'

/** Names in other languages. */
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

export interface ResolvedName {
  readonly name: string
  readonly type: ValueType
}

/** Checks syntax that may be a name or a variable. */
export function checkName(syntax: Syntax, context: CheckContext): TypedNode | undefined {
  const { at } = syntax
  if (syntax.kind === 'name') {
    const type = context.variables.get(syntax.name)
    if (type) return { node: { kind: 'variable', name: syntax.name, at }, type }
  }
  const found = resolveName(syntax, context)
  return found && { node: { kind: 'read', name: found.name, at }, type: found.type }
}

/** The name that the syntax spells; records a problem when it is none. */
export function resolveName(syntax: Syntax, context: CheckContext): ResolvedName | undefined {
  const path = listNameParts(syntax)
  if (!path) {
    const text = 'fields can be read of signal, target, list, request and flow only'
    return addProblem(context, syntax, text)
  }
  if (path.length === 3 && path[0] === 'signal' && path[1] === 'ext') {
    return resolveExtKey(syntax, path[2] ?? '', context)
  }
  const name = path.join('.')
  const type = syntax.kind === 'index' ? undefined : findNameType(name, context.parameters)
  return type ? { name, type } : addUndeclared(context, syntax, path)
}

function resolveExtKey(
  syntax: Syntax,
  key: string,
  context: CheckContext,
): ResolvedName | undefined {
  if (syntax.kind === 'index' && !isText(syntax.index)) {
    const text = 'the key of signal.ext must be a text written in the rule'
    return addProblem(context, syntax.index, text)
  }
  if (key === '') return addProblem(context, syntax, 'the key of signal.ext must not be empty')
  return { name: formatExtName(key), type: 'string' }
}

/** The names along a chain of dots and brackets, the root first; undefined when it does not begin with a plain name. */
export function listNameParts(syntax: Syntax): readonly string[] | undefined {
  if (syntax.kind === 'name') return [syntax.name]
  if (syntax.kind !== 'member' && syntax.kind !== 'index') return undefined
  const path = listNameParts(syntax.of)
  if (!path) return undefined
  if (syntax.kind === 'member') return [...path, syntax.field]
  return [...path, isText(syntax.index) ? syntax.index.value : '[]']
}

function isText(syntax: Syntax): syntax is Syntax & { readonly kind: 'literal'; value: string } {
  return syntax.kind === 'literal' && syntax.type === 'string'
}

function addUndeclared(
  context: CheckContext,
  spot: SourceRange,
  path: readonly string[],
): undefined {
  const [root = ''] = path
  // a variable is declared; what it lacks is fields
  if (!nameRoots.has(root) && context.variables.has(root)) {
    return addProblem(context, spot, `'${root}' has no fields`)
  }
  const name = path.join('.')
  if (isReadableName(name, context.parameters)) {
    return addProblem(context, spot, `'${name}' is written with a dot, not in brackets`)
  }
  const noKey = name === 'signal.ext' ? '; it takes a key, as in signal.ext.key' : ''
  const hint = formatSuggestion(suggestName(path, context)) || noKey
  return addProblem(context, spot, `undeclared reference to '${name}'${hint}`)
}

function suggestName(path: readonly string[], context: CheckContext): string | undefined {
  const [root = '', ...rest] = path
  const known = listNames(context)
  if (rest.length === 0) return suggestByWord(root, context, known)
  if (!nameRoots.has(root)) return suggestByRoot(path, context)
  return suggestByField(path) ?? suggestByExtKey(path) ?? suggestBelowRoot(path, known)
}

/** A single word: a variable, or the part of a name after the dot. */
function suggestByWord(
  word: string,
  { variables }: CheckContext,
  known: readonly string[],
): string | undefined {
  const lasts = new Map(known.map((name) => [name.slice(name.indexOf('.') + 1), name]))
  const near = nearestName(word, [...variables.keys(), ...lasts.keys()])
  return synonyms.get(word) ?? (near === undefined ? undefined : (lasts.get(near) ?? near))
}

/** `signals.ip`: the name with the nearest root, or the name meant by it. */
function suggestByRoot(
  [root = '', ...rest]: readonly string[],
  context: CheckContext,
): string | undefined {
  const near = nearestName(root, nameRoots)
  if (near === undefined) return undefined
  const path = [near, ...rest]
  return isReadableName(path.join('.'), context.parameters)
    ? path.join('.')
    : suggestName(path, context)
}

/** `signal.ip.length`: a name before the last dot; values have functions and no fields. */
function suggestByField(path: readonly string[]): string | undefined {
  const name = path.slice(0, -1).join('.')
  if (!isReadableName(name, undefined)) return undefined
  const [, ext, ...keys] = path
  const meant = suggestValueFunction(path.at(-1) ?? '')
  if (meant === undefined) return ext === 'ext' ? `signal.ext["${keys.join('.')}"]` : undefined
  return meant.startsWith('x.') ? meant.replace('x', name) : meant.replace('…', name)
}

/** `signal.extt.a`: a mistyped `ext`, the only field with names below it. */
function suggestByExtKey([root, ext = '', key, ...more]: readonly string[]): string | undefined {
  if (root !== 'signal' || key === undefined || more.length > 0) return undefined
  if (nearestName(ext, ['ext']) === undefined) return undefined
  return /^\w+$/.test(key) ? `signal.ext.${key}` : `signal.ext[${JSON.stringify(key)}]`
}

/** The nearest name below the root; below `signal`, else a caller-defined value. */
function suggestBelowRoot(path: readonly string[], known: readonly string[]): string | undefined {
  const [root = '', ...rest] = path
  const field = rest.join('.')
  const sameField = known.find((name) => name.endsWith(`.${field}`))
  if (sameField !== undefined) return sameField
  const fields = known
    .filter((name) => name.startsWith(`${root}.`))
    .map((name) => name.slice(root.length + 1))
  const near = nearestName(field, fields)
  if (near !== undefined) return `${root}.${near}`
  if (root === 'list') return `inList(${JSON.stringify(field)}, …)`
  const own = root === 'signal' && field !== 'ext' && /^\w+$/.test(field)
  return own ? `signal.ext.${field}` : synonyms.get(field)
}

function listNames({ parameters = new Map() }: CheckContext): readonly string[] {
  return [
    ...readableNames.map(({ name }) => name),
    ...[...parameters.keys()].map((name) => `param.${name}`),
  ]
}
