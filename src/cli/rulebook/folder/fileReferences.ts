/** Finds wrong ids of resource files, and wrong references between them. */

import type { FolderProblem } from './folderProblem.ts'
import { fieldOf, fileName, isIdOf, type Kind } from './resourceFile.ts'

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

/** Reads the id and references of any value; malformed ones are left out, and reported by the service. */
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
