/** What is wrong between the files of a folder, whatever else is wrong within them. */

import { isIdOf, type Kind } from './kind.ts'
import { type Mention, type Outline, referredKind } from './outline.ts'
import type { FolderProblem } from './problem.ts'
import { fileName } from './resourceFile.ts'

/** Every file that has the id of one before it. */
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

/** Every name that a file refers to and no file has, of the kinds whose names are known. */
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

/** Every version that a recipe pins of a rule that is yet to be made: versions stay in the account that made them. */
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
