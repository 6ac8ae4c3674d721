/** Lists references between resource files, wrong ones, and duplicate ids. */

import type { FolderProblem } from './folderProblem.ts'
import { findNodeOffset, positionAt } from './parseResource.ts'
import { type FolderKind, fieldOf, fileName, isIdOf, type ResourceFile } from './resourceFile.ts'

/** Reports files with the id of an earlier file. */
export function listDuplicateIds(files: readonly ResourceFile[]): readonly FolderProblem[] {
  const seen = new Map<string, ResourceFile>()
  return files.flatMap((file) => {
    if (file.id === undefined) return []
    const first = seen.get(file.id)
    if (first) return [problemAt(file, ['id'], `has the id of ${fileName(first)}.`)]
    seen.set(file.id, file)
    return []
  })
}

/** The names of the files of each kind; nothing of a kind whose files could not be listed. */
export type Slugs = ReadonlyMap<FolderKind, ReadonlySet<string>>

/** Reports references to missing files, for the kinds whose files could be listed. */
export function listDanglingReferences(
  files: readonly ResourceFile[],
  slugs: Slugs,
): readonly FolderProblem[] {
  return files.flatMap((file) =>
    listReferences(file)
      .filter(({ kind, text }) => !isIdOf(kind, text) && slugs.get(kind)?.has(text) === false)
      .map(({ kind, text, path }) => problemAt(file, path, `there is no ${kind}/${text}.yaml.`)),
  )
}

/** Reports version pins on rules not created yet, since versions exist only in the account that made them. */
export function listPinsOfNewRules(files: readonly ResourceFile[]): readonly FolderProblem[] {
  const unmade = new Set(
    files.filter(({ kind, id }) => kind === 'rules' && id === undefined).map(({ slug }) => slug),
  )
  return files.flatMap((file) =>
    listReferences(file)
      .filter(({ text, isPinned }) => isPinned && unmade.has(text))
      .map(({ text, path }) => {
        const which = `pins a version of rules/${text}.yaml`
        return problemAt(file, path, `${which}, which does not exist yet; remove the version_id.`)
      }),
  )
}

/** A reference to a file, or to a resource by its id. */
interface Reference {
  /** The kind that is referred to. */
  readonly kind: FolderKind
  readonly text: string
  /** Where it stands in the file that refers. */
  readonly path: readonly (string | number)[]
  /** Whether a version is named with it. */
  readonly isPinned: boolean
}

/** The references of a file; malformed ones are left out, and reported by the service. */
export function listReferences({ kind, fields }: ResourceFile): readonly Reference[] {
  if (kind !== 'recipes' && kind !== 'flows') return []
  const to = kind === 'recipes' ? 'rules' : 'recipes'
  const entries: unknown = fields[to]
  const list: readonly unknown[] = Array.isArray(entries) ? entries : []
  return list.flatMap((entry, index): readonly Reference[] => {
    const text = to === 'rules' ? fieldOf(entry, 'rule') : entry
    if (typeof text !== 'string' || text === '') return []
    const path = to === 'rules' ? [to, index, 'rule'] : [to, index]
    return [{ kind: to, text, path, isPinned: fieldOf(entry, 'version_id') !== undefined }]
  })
}

/** The problem of what stands at this path in the file. */
export function problemAt(
  file: ResourceFile,
  path: readonly (string | number)[],
  message: string,
): FolderProblem {
  const position = positionAt(file.text, findNodeOffset(file.document, path))
  return { path: fileName(file), ...position, message }
}
