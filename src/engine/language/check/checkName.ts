/** Names: what stands in `signal.…`, `target.…` and the like, and the variables of loops. */

import type { ValueType } from '../expression.ts'
import { extName, isName, nameRoots, typeOfName } from '../names.ts'
import type { Spot } from '../problem.ts'
import type { Syntax } from '../syntax.ts'
import { type Checking, complain, type Typed } from './checking.ts'
import { nameHint } from './nameHint.ts'

export interface Name {
  readonly name: string
  readonly type: ValueType
}

/** A part that may be a name or a variable, checked. */
export function checkName(syntax: Syntax, checking: Checking): Typed | undefined {
  const { at } = syntax
  if (syntax.kind === 'name') {
    const type = checking.variables.get(syntax.name)
    if (type) return { node: { kind: 'variable', name: syntax.name, at }, type }
  }
  const found = findName(syntax, checking)
  return found && { node: { kind: 'read', name: found.name, at }, type: found.type }
}

/** The name that a part writes; notes a problem where it writes none. */
export function findName(syntax: Syntax, checking: Checking): Name | undefined {
  const path = pathOf(syntax)
  if (!path) {
    return complain(checking, syntax, 'fields can be read of signal, target, list and request only')
  }
  if (path.length === 3 && path[0] === 'signal' && path[1] === 'ext') {
    return ofExt(syntax, path[2] ?? '', checking)
  }
  const name = path.join('.')
  const type = syntax.kind === 'index' ? undefined : typeOfName(name, checking.parameters)
  return type ? { name, type } : undeclared(checking, syntax, path)
}

function ofExt(syntax: Syntax, key: string, checking: Checking): Name | undefined {
  if (syntax.kind === 'index' && !isText(syntax.index)) {
    return complain(
      checking,
      syntax.index,
      'the key of signal.ext must be a text written in the rule',
    )
  }
  if (key === '') return complain(checking, syntax, 'the key of signal.ext must not be empty')
  return { name: extName(key), type: 'string' }
}

/** The names along a chain of dots and brackets, the root first; undefined when it does not begin with a plain name. */
function pathOf(syntax: Syntax): readonly string[] | undefined {
  if (syntax.kind === 'name') return [syntax.name]
  if (syntax.kind !== 'member' && syntax.kind !== 'index') return undefined
  const path = pathOf(syntax.of)
  if (!path) return undefined
  if (syntax.kind === 'member') return [...path, syntax.field]
  return [...path, isText(syntax.index) ? syntax.index.value : '[]']
}

function isText(syntax: Syntax): syntax is Syntax & { readonly kind: 'literal'; value: string } {
  return syntax.kind === 'literal' && syntax.type === 'string'
}

function undeclared(checking: Checking, spot: Spot, path: readonly string[]): undefined {
  const [root = ''] = path
  const known = nameRoots.has(root) || !checking.variables.has(root)
  // a variable is declared; what it lacks is fields
  if (!known) return complain(checking, spot, `'${root}' has no fields`)
  const name = path.join('.')
  if (isName(name, checking.parameters)) {
    return complain(checking, spot, `'${name}' is written with a dot, not in brackets`)
  }
  const hint = nameHint(path, checking)
  const more = hint === undefined ? '' : `; ${hint}`
  return complain(checking, spot, `undeclared reference to '${name}'${more}`)
}
