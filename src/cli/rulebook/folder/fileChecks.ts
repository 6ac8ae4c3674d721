/** Checks resource files before they are sent: fields, ids, references to each other. */

import type { ListInput } from '../../../commands/lists/namedLists.ts'
import type { FlowInput } from '../../../commands/rulebook/flows.ts'
import type { RecipeInput } from '../../../commands/rulebook/recipes.ts'
import type { RuleInput } from '../../../commands/rulebook/rules.ts'
import { nearest } from '../../../domain/text/nearest.ts'
import type { FolderProblem } from './folderProblem.ts'
import { type Fields, fileName, isIdOf, type Kind } from './resourceFile.ts'

/** Reports a problem of the value at this path, present or missing. */
export type ReportProblem = (path: readonly (string | number)[], sentence: string) => void

/** Reports every problem of the fields of one resource. */
export function checkFields(kind: Kind, fields: Fields, complain: ReportProblem): void {
  const known = Object.keys(checks[kind])
  const meant = suggestNames(fields, { known: [...known, 'id'], complain })
  for (const [name, check] of Object.entries(checks[kind])) {
    if (!meant.has(name)) check(fields[name], name, complain)
  }
}

interface NameCheck {
  readonly known: readonly string[]
  readonly complain: ReportProblem
  readonly under?: readonly (string | number)[]
}

/** Complains of names that are near to those of missing fields, which it answers; any other unknown name is for the service to judge. */
function suggestNames(
  given: Fields,
  { known, complain, under = [] }: NameCheck,
): ReadonlySet<string | undefined> {
  const missing = known.filter((name) => given[name] === undefined)
  const meant = new Set<string | undefined>()
  for (const name of Object.keys(given)) {
    const near = known.includes(name) ? undefined : nearest(name, missing)
    if (near === undefined) continue
    meant.add(near)
    complain([...under, name], `There is no field ${name}; did you mean ${near}?`)
  }
  return meant
}

/** The check of one field; undefined is a field that is not there. */
type Check = (given: unknown, name: string, complain: ReportProblem) => void

/** A check for every field that an author writes. */
type Checks<Input> = { readonly [Field in keyof Input]-?: Check }

/** Blanks are a text to the service. */
const text: Check = (given, name, complain) => {
  if (typeof given === 'string' && given !== '') return
  complain([name], `${name} must be a text.`)
}

const whole: Check = (given, name, complain) => {
  if (!Number.isInteger(given)) complain([name], `${name} must be a whole number.`)
}

const lists: Checks<ListInput> = {
  name: text,
  kind: text,
  description: (given, name, complain) => {
    if (given !== undefined) text(given, name, complain)
  },
}

const rules: Checks<RuleInput> = { name: text, expression: text }

const memberNames = ['rule', 'weight', 'preempts', 'version_id']

const recipes: Checks<RecipeInput> = {
  name: text,
  status: text,
  threshold: whole,
  rules: (given, name, complain) => {
    for (const [index, member] of entriesOf(given, name, complain)) {
      const fields = (member ?? {}) as Fields
      const { rule, weight } = fields
      const meant = suggestNames(fields, { known: memberNames, complain, under: [name, index] })
      if (!meant.has('rule') && (typeof rule !== 'string' || rule === '')) {
        complain([name, index], 'rule must name a file of rules, or be an id.')
      }
      if (!meant.has('weight') && !Number.isInteger(weight))
        complain([name, index], 'weight must be a whole number.')
    }
  },
  base_recipe_id: (given, name, complain) => {
    if (given === undefined || (typeof given === 'string' && isIdOf('recipes', given))) return
    complain([name], `${name} must be the id of a managed recipe (rcp_…).`)
  },
  parameters: (given, name, complain) => {
    if (given === undefined) return
    if (typeof given !== 'object' || given === null || Array.isArray(given)) {
      complain([name], `${name} must be names with values; leave it out for none.`)
      return
    }
    for (const [parameter, value] of Object.entries(given)) {
      if (['string', 'number', 'boolean'].includes(typeof value)) continue
      complain([name, parameter], `${parameter} must be a text, a number, true or false.`)
    }
  },
}

const flows: Checks<FlowInput> = {
  name: text,
  recipes: (given, name, complain) => {
    for (const [index, recipe] of entriesOf(given, name, complain)) {
      if (typeof recipe === 'string' && recipe !== '') continue
      complain([name, index], 'must name a file of recipes, or be an id.')
    }
  },
}

const checks: Readonly<Record<Kind, Readonly<Record<string, Check>>>> = {
  lists,
  rules,
  recipes,
  flows,
}

function entriesOf(
  given: unknown,
  name: string,
  complain: ReportProblem,
): Iterable<[number, unknown]> {
  if (Array.isArray(given)) return given.entries()
  complain([name], `${name} must be a list.`)
  return []
}

/** What the files of this kind refer to. */
const referredKind = {
  lists: undefined,
  rules: undefined,
  recipes: 'rules',
  flows: 'recipes',
} as const

/** Reports files with the id of an earlier file. */
export function duplicateIds(outlines: readonly Outline[]): readonly FolderProblem[] {
  const seen = new Map<string, Outline>()
  return outlines.flatMap((outline) => {
    const { id } = outline
    if (!id) return []
    const first = seen.get(id.text)
    if (first) return [problemAt(outline, id, `has the id of ${fileName(first)}.`)]
    seen.set(id.text, outline)
    return []
  })
}

/** The names of the files of each kind; undefined for a kind whose files could not be listed. */
export type Slugs = Readonly<Record<Kind, ReadonlySet<string> | undefined>>

/** Reports references to missing files, for the kinds whose files could be listed. */
export function danglingReferences(
  outlines: readonly Outline[],
  slugs: Slugs,
): readonly FolderProblem[] {
  return outlines.flatMap((outline) => {
    const kind = referredKind[outline.kind]
    const known = kind && slugs[kind]
    if (!known) return []
    return outline.references
      .filter(({ text }) => !isIdOf(kind, text) && !known.has(text))
      .map((mention) => problemAt(outline, mention, `there is no ${kind}/${mention.text}.yaml.`))
  })
}

/** Reports version pins on rules not created yet, since versions exist only in the account that made them. */
export function unknownPins(outlines: readonly Outline[]): readonly FolderProblem[] {
  const unmade = new Set(
    outlines.filter(({ kind, isNew }) => kind === 'rules' && isNew).map(({ slug }) => slug),
  )
  return outlines.flatMap((outline) =>
    outline.references
      .filter(({ text, isPinned }) => isPinned && unmade.has(text))
      .map((mention) =>
        problemAt(
          outline,
          mention,
          `pins a version of rules/${mention.text}.yaml, which does not exist yet; remove the version_id.`,
        ),
      ),
  )
}

function problemAt(outline: Outline, { line, column }: Mention, message: string): FolderProblem {
  return { path: fileName(outline), line, column, message }
}

export interface Outline {
  readonly kind: Kind
  readonly slug: string
  /** Whether it is a new resource: it has no id, not even a wrong one. */
  readonly isNew: boolean
  readonly id: Mention | undefined
  readonly references: readonly Mention[]
}

/** An id, or another file's name, with its position. */
interface Mention {
  readonly text: string
  readonly line: number
  readonly column: number
  /** Whether a version is named with it. */
  readonly isPinned: boolean
}

interface Source {
  readonly kind: Kind
  readonly slug: string
  readonly value: Readonly<Record<string, unknown>>
  /** The position of the value under a path. */
  readonly positionOf: (path: readonly (string | number)[]) => {
    readonly line: number
    readonly column: number
  }
}

/** Reads the id and references of any value; malformed ones are left out, and reported by the field checks. */
export function outlineOf({ kind, slug, value, positionOf }: Source): Outline {
  const { id } = value
  const isId = typeof id === 'string' && isIdOf(kind, id)
  const entries = kind === 'recipes' ? value['rules'] : value['recipes']
  const list: readonly unknown[] = referredKind[kind] && Array.isArray(entries) ? entries : []
  return {
    kind,
    slug,
    isNew: id === undefined,
    id: isId ? { text: id, ...positionOf(['id']), isPinned: false } : undefined,
    references: list.flatMap((entry, index): readonly Mention[] => {
      const isMember = kind === 'recipes'
      const text = isMember ? fieldOf(entry, 'rule') : entry
      if (typeof text !== 'string' || text === '') return []
      const position = positionOf(isMember ? ['rules', index, 'rule'] : ['recipes', index])
      return [{ text, ...position, isPinned: fieldOf(entry, 'version_id') !== undefined }]
    }),
  }
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
