/** What a file says of itself and of others, as far as it can be read: also of a file in which something else is wrong. */

import { isIdOf, type Kind } from './kind.ts'

export interface Outline {
  readonly kind: Kind
  readonly slug: string
  /** Whether it is a new resource: it has no id, not even a wrong one. */
  readonly isNew: boolean
  readonly id: Mention | undefined
  readonly references: readonly Mention[]
}

/** An id, or another file's name, where it stands. */
export interface Mention {
  readonly text: string
  readonly line: number
  readonly column: number
  /** Whether a version is named with it. */
  readonly isPinned: boolean
}

/** What the files of this kind refer to. */
export const referredKind = {
  lists: undefined,
  rules: undefined,
  recipes: 'rules',
  flows: 'recipes',
} as const

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

/** The file's id and references, of any value; what has not the form of one is left out, and said by the checks of its fields. */
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
