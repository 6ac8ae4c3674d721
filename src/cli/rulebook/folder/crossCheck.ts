/** Checks files against each other: duplicate ids, dangling references, invalid version pins. */

import { isIdOf, type Kind } from './kind.ts'
import type { FolderProblem } from './problem.ts'
import { fileName } from './resourceFile.ts'

/** What the files of this kind refer to. */
const referredKind = {
  lists: undefined,
  rules: undefined,
  recipes: 'rules',
  flows: 'recipes',
} as const

/** Reports files with the id of an earlier file. */
export function twins(outlines: readonly Outline[]): readonly FolderProblem[] {
  const seen = new Map<string, Outline>()
  return outlines.flatMap((outline) => {
    const { id } = outline
    if (!id) return []
    const twin = seen.get(id.text)
    if (twin) return [problemAt(outline, id, `has the id of ${fileName(twin)}.`)]
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
export function strangePins(outlines: readonly Outline[]): readonly FolderProblem[] {
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
          `pins a version of rules/${mention.text}.yaml, which is not made yet; remove the version_id.`,
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

/** An id, or another file's name, where it stands. */
interface Mention {
  readonly text: string
  readonly line: number
  readonly column: number
  /** Whether a version is named with it. */
  readonly isPinned: boolean
}

interface Skimmed {
  readonly kind: Kind
  readonly slug: string
  readonly value: Readonly<Record<string, unknown>>
  /** Where the value under a path stands. */
  readonly placeOf: (path: readonly (string | number)[]) => {
    readonly line: number
    readonly column: number
  }
}

/** Reads the id and references of any value; malformed ones are left out, and reported by the field checks. */
export function outlineOf({ kind, slug, value, placeOf }: Skimmed): Outline {
  const { id } = value
  const isId = typeof id === 'string' && isIdOf(kind, id)
  const entries = kind === 'recipes' ? value['rules'] : value['recipes']
  const list: readonly unknown[] = referredKind[kind] && Array.isArray(entries) ? entries : []
  return {
    kind,
    slug,
    isNew: id === undefined,
    id: isId ? { text: id, ...placeOf(['id']), isPinned: false } : undefined,
    references: list.flatMap((entry, index): readonly Mention[] => {
      const isMember = kind === 'recipes'
      const text = isMember ? fieldOf(entry, 'rule') : entry
      if (typeof text !== 'string' || text === '') return []
      const place = placeOf(isMember ? ['rules', index, 'rule'] : ['recipes', index])
      return [{ text, ...place, isPinned: fieldOf(entry, 'version_id') !== undefined }]
    }),
  }
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
