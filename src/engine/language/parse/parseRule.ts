/** Parses a rule's text to syntax or, type-checked, to an expression; or lists its problems. */

import { type ASTNode, Environment, ParseError } from '@marcbachmann/cel-js'
import type { ListKind } from '../../../domain/lists/lists.ts'
import { checkRule } from '../check/checkRule.ts'
import type { Expression, NameNode, ValueType } from '../expression.ts'
import { ruleLimits } from '../ruleLimits.ts'
import {
  buildProblem,
  createRangeLocator,
  type Problem,
  type RangeLocator,
  type SourceRange,
  type Syntax,
} from '../syntax.ts'
import { describeSyntaxProblem } from './syntaxProblem.ts'

export interface RuleOptions {
  /** Types of the names that may be read as `param.<name>`. */
  readonly parameters?: ReadonlyMap<string, ValueType>
  /** The lists that `inList` may name, with the kind of their entries. */
  readonly lists?: ReadonlyMap<string, ListKind>
  /** The reason why an existing name must not be used; undefined when it may be. */
  readonly objection?: (node: NameNode) => string | undefined
}

export type ParsedRule =
  | { readonly expression: Expression }
  | { readonly problems: readonly Problem[] }

/**
 * Compiles a rule's text: parses it, checks every name, type and literal argument, and returns either the expression or
 * its problems with their positions. Never throws, whatever the text.
 */
export function parseRule(text: string, options: RuleOptions = {}): ParsedRule {
  const parsed = parseSyntax(text)
  if ('problem' in parsed) return { problems: [parsed.problem] }
  return checkRule(parsed.syntax, options)
}

const tooDeep = `the rule is nested deeper than ${ruleLimits.depth} levels`
const environment = new Environment({
  limits: {
    maxAstNodes: ruleLimits.textChars,
    maxDepth: 250,
    maxListElements: ruleLimits.listItems,
    maxCallArguments: 32,
  },
})

export type SyntaxOrProblem = { readonly syntax: Syntax } | { readonly problem: Problem }

/** Parses a rule's text. Never throws: text that exhausts the parser is a problem, too. */
export function parseSyntax(text: string): SyntaxOrProblem {
  if (text.length > ruleLimits.textChars) {
    return refuse(start, `the rule is longer than ${ruleLimits.textChars} characters`)
  }
  if (/\p{Surrogate}/u.test(text)) return refuse(start, 'the rule is not well-formed Unicode')
  const reading: ParseContext = { text, spotOf: createRangeLocator(text), deep: undefined }
  try {
    const syntax = buildSyntax(environment.parse(text).ast, reading, 1)
    return reading.deep ? refuse(reading.deep, tooDeep) : { syntax }
  } catch (error) {
    if (error instanceof ParseError) return { problem: describeSyntaxProblem(text, error) }
    const description = 'Syntax error: the text cannot be read as a rule'
    return refuse(start, error instanceof RangeError ? tooDeep : description)
  }
}

interface ParseContext {
  readonly text: string
  readonly spotOf: RangeLocator
  /** The position where the text became too deep. */
  deep: SourceRange | undefined
}

/** The position of problems of the whole text. */
const start: SourceRange = { at: [1, 1], length: 1 }

function refuse(spot: SourceRange, text: string): SyntaxOrProblem {
  return { problem: buildProblem(spot, text) }
}

function buildSyntax(node: ASTNode, reading: ParseContext, depth: number): Syntax {
  const spot = reading.spotOf(node.start, node.end)
  if (depth > ruleLimits.depth) {
    reading.deep ??= spot
    return { kind: 'foreign', what: 'depth', ...spot }
  }
  const below = (child: ASTNode): Syntax => buildSyntax(child, reading, depth + 1)
  switch (node.op) {
    case 'value':
      return buildLiteral(node.args, spot)
    case 'id':
      return { kind: 'name', name: node.args, ...spot }
    case '.':
      return { kind: 'member', of: below(node.args[0]), field: node.args[1], ...spot }
    case '[]':
      return { kind: 'index', of: below(node.args[0]), index: below(node.args[1]), ...spot }
    case 'list':
      return { kind: 'list', items: node.args.map(below), ...spot }
    case 'call':
      return {
        kind: 'function',
        name: node.args[0],
        named: reading.spotOf(node.start, node.start + node.args[0].length),
        receiver: false,
        args: node.args[1].map(below),
        ...spot,
      }
    case 'rcall':
      return {
        kind: 'function',
        name: node.args[0],
        named: locateName(reading, node.args[1].end, node.args[0]),
        receiver: true,
        args: [node.args[1], ...node.args[2]].map(below),
        ...spot,
      }
    default:
      return buildOperator(node, spot, below)
  }
}

/** The position of a function's name after its receiver, which the library does not report. */
function locateName(
  { text, spotOf }: ParseContext,
  receiverEnd: number,
  name: string,
): SourceRange {
  const dot = text.indexOf('.', receiverEnd)
  const at = text.indexOf(name, dot)
  return spotOf(at, at + name.length)
}

function buildOperator(
  node: ASTNode,
  spot: SourceRange,
  below: (child: ASTNode) => Syntax,
): Syntax {
  switch (node.op) {
    case '!_':
    case '-_':
      return { kind: 'operator', symbol: node.op[0] ?? '', args: [below(node.args)], ...spot }
    case '&&':
    case '||':
      return { kind: 'operator', symbol: node.op, args: listOperands(node).map(below), ...spot }
    case 'map':
    case '.?':
    case '[?]':
      return { kind: 'foreign', what: node.op === 'map' ? 'a map' : 'an optional field', ...spot }
    default: {
      if (!Array.isArray(node.args)) return { kind: 'foreign', what: `'${node.op}'`, ...spot }
      const args = (node.args as readonly ASTNode[]).map(below)
      return { kind: 'operator', symbol: node.op, args, ...spot }
    }
  }
}

/** The operands of `a && b && c`, which the library parses as `(a && b) && c`. */
function listOperands(node: ASTNode): readonly ASTNode[] {
  const operands: ASTNode[] = []
  let left = node
  while (left.op === node.op && (left.op === '&&' || left.op === '||')) {
    operands.push(left.args[1])
    left = left.args[0]
  }
  operands.push(left)
  return operands.reverse()
}

function buildLiteral(value: unknown, spot: SourceRange): Syntax {
  switch (typeof value) {
    case 'bigint':
      return { kind: 'integer', value, ...spot }
    case 'number':
      return { kind: 'literal', type: 'double', value, ...spot }
    case 'string':
      return { kind: 'literal', type: 'string', value, ...spot }
    case 'boolean':
      return { kind: 'literal', type: 'bool', value, ...spot }
    default:
      return { kind: 'foreign', what: nameForeignLiteral(value), ...spot }
  }
}

function nameForeignLiteral(value: unknown): string {
  if (value === null) return 'null'
  return value instanceof Uint8Array ? 'a bytes literal' : 'an unsigned integer'
}
