/** From text to syntax tree: the one module that knows the CEL library. */

import { type ASTNode, Environment, ParseError } from '@marcbachmann/cel-js'
import type { Place } from './expression.ts'
import { limits } from './limits.ts'
import { placeOf } from './place.ts'
import { type Problem, problemAt } from './problem.ts'
import type { Syntax } from './syntax.ts'

const tooDeep = `the rule is nested deeper than ${limits.depth} levels`
const environment = new Environment({
  limits: {
    maxAstNodes: limits.textChars,
    maxDepth: 250,
    maxListElements: limits.listItems,
    maxCallArguments: 32,
  },
})

/** What came of a text: its tree, or what is wrong with it. */
export type Parsed = { readonly syntax: Syntax } | { readonly problem: Problem }

/**
 * Reads a rule's text. Never throws: text that exhausts the parser is refused like any other.
 */
export function parse(text: string): Parsed {
  if (text.length > limits.textChars) {
    return refuse([1, 1], `the rule is longer than ${limits.textChars} characters`)
  }
  if (/\p{Surrogate}/u.test(text)) return refuse([1, 1], 'the rule is not well-formed Unicode')
  const reading: Reading = { text, deep: undefined }
  try {
    const syntax = tree(environment.parse(text).ast, reading, 1)
    return reading.deep ? refuse(reading.deep, tooDeep) : { syntax }
  } catch (error) {
    return parseFailure(error, text)
  }
}

interface Reading {
  readonly text: string
  /** Where the text became too deep. */
  deep: Place | undefined
}

function refuse(at: Place, text: string): Parsed {
  return { problem: problemAt(at, text) }
}

function parseFailure(error: unknown, text: string): Parsed {
  if (error instanceof ParseError) {
    const at = placeOf(text, Math.min(error.range?.start ?? 0, text.length))
    return refuse(at, `Syntax error: ${error.summary}`)
  }
  if (error instanceof RangeError) return refuse([1, 1], tooDeep)
  return refuse([1, 1], 'Syntax error: the text cannot be read as a rule')
}

function tree(node: ASTNode, reading: Reading, depth: number): Syntax {
  const at = placeOf(reading.text, node.start)
  if (depth > limits.depth) {
    reading.deep ??= at
    return { kind: 'foreign', what: 'depth', at }
  }
  const below = (child: ASTNode): Syntax => tree(child, reading, depth + 1)
  switch (node.op) {
    case 'value':
      return literal(node.args, at)
    case 'id':
      return { kind: 'name', name: node.args, at }
    case '.':
      return { kind: 'member', of: below(node.args[0]), field: node.args[1], at }
    case '[]':
      return { kind: 'index', of: below(node.args[0]), index: below(node.args[1]), at }
    case 'list':
      return { kind: 'list', items: node.args.map(below), at }
    case 'call':
      return functionCall(node.args[0], node.args[1].map(below), at)
    case 'rcall':
      return {
        kind: 'function',
        name: node.args[0],
        receiver: true,
        args: [node.args[1], ...node.args[2]].map(below),
        at,
      }
    default:
      return operator(node, at, below)
  }
}

function functionCall(name: string, args: readonly Syntax[], at: Place): Syntax {
  return { kind: 'function', name, receiver: false, args, at }
}

function operator(node: ASTNode, at: Place, below: (child: ASTNode) => Syntax): Syntax {
  switch (node.op) {
    case '!_':
      return { kind: 'operator', symbol: '!', args: [below(node.args)], at }
    case '-_':
      return { kind: 'operator', symbol: '-', args: [below(node.args)], at }
    case '&&':
    case '||':
      return { kind: 'operator', symbol: node.op, args: chain(node).map(below), at }
    case 'map':
    case '.?':
    case '[?]':
      return { kind: 'foreign', what: node.op === 'map' ? 'a map' : 'an optional field', at }
    default:
      return operation(node, at, below)
  }
}

function operation(node: ASTNode, at: Place, below: (child: ASTNode) => Syntax): Syntax {
  if (!Array.isArray(node.args)) return { kind: 'foreign', what: `'${node.op}'`, at }
  const args = (node.args as readonly ASTNode[]).map(below)
  return { kind: 'operator', symbol: node.op, args, at }
}

/** The operands of `a && b && c`, which the library hands over as `(a && b) && c`. */
function chain(node: ASTNode): readonly ASTNode[] {
  const operands: ASTNode[] = []
  let left = node
  while (left.op === node.op && (left.op === '&&' || left.op === '||')) {
    operands.push(left.args[1])
    left = left.args[0]
  }
  operands.push(left)
  return operands.reverse()
}

function literal(value: unknown, at: Place): Syntax {
  switch (typeof value) {
    case 'bigint':
      return { kind: 'integer', value, at }
    case 'number':
      return { kind: 'literal', type: 'double', value, at }
    case 'string':
      return { kind: 'literal', type: 'string', value, at }
    case 'boolean':
      return { kind: 'literal', type: 'bool', value, at }
    default:
      return { kind: 'foreign', what: foreignLiteral(value), at }
  }
}

function foreignLiteral(value: unknown): string {
  if (value === null) return 'null'
  return value instanceof Uint8Array ? 'a bytes literal' : 'an unsigned integer'
}
