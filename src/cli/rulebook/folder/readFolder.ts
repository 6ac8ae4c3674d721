/** Reads the resource files of a rulebook folder, and reports what cannot be read. */

import { isUtf8 } from 'node:buffer'
import { lstatSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, parse } from 'node:path'
import { usageError } from '../../terminal/cliError.ts'
import { listDuplicateIds, type Slugs } from './checkReferences.ts'
import { catchFileErrors, type FolderProblem } from './folderProblem.ts'
import { parseResource } from './parseResource.ts'
import {
  type FolderKind,
  folderKinds,
  isSlug,
  mapKinds,
  type ResourceFile,
} from './resourceFile.ts'

export type ByKind<Resource> = Readonly<Record<FolderKind, readonly Resource[]>>

const bytesMax = 1024 * 1024

/** The contents of a folder. */
export interface RulebookFolder {
  readonly files: ByKind<ResourceFile>
  /** Also of files in which something is wrong, or that could not be read. */
  readonly slugs: Slugs
  /** The kinds without a subfolder: unlike an empty one, it does not mean that none are wanted. */
  readonly missingKinds: ReadonlySet<FolderKind>
  readonly problems: readonly FolderProblem[]
}

/** Reads files by kind and name; an absent folder counts as empty. Unreadable files are added to the problems. */
export function readFolder(folder: string): RulebookFolder {
  const problems: FolderProblem[] = []
  const absent = new Set(folderKinds.filter((kind) => !isThere(join(folder, kind))))
  const read = (kind: FolderKind): KindRead => {
    if (absent.has(kind)) return { files: [], slugs: new Set() }
    return readKind(join(folder, kind), kind, problems)
  }
  const found = mapKinds(read)
  return {
    files: mapKinds((kind) => found[kind].files),
    slugs: mapKinds((kind) => found[kind].slugs),
    missingKinds: absent,
    problems: [...problems, ...listDuplicateIds(folderKinds.flatMap((kind) => found[kind].files))],
  }
}

/**
 * Throws `usage` unless the folder exists and has a subfolder for at least one kind of resources, so that a push with a mistyped name
 * cannot delete everything.
 */
export function assertRulebook(folder: string): void {
  const stats = statSync(folder, { throwIfNoEntry: false })
  if (!stats) throw usageError(`There is no folder ${folder}; vigil pull makes one.`)
  if (!stats.isDirectory()) throw usageError(`${folder} is not a folder.`)
  if (folderKinds.some((kind) => isThere(join(folder, kind)))) return
  throw usageError(
    `${folder} is no rulebook: it has none of ${folderKinds.map((kind) => `${kind}/`).join(', ')}. An empty one has them empty.`,
  )
}

/** Whether there is anything of that name, even a broken link. */
function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

interface KindRead {
  readonly files: readonly ResourceFile[]
  /** Undefined when they could not be listed. */
  readonly slugs: ReadonlySet<string> | undefined
}

function readKind(path: string, kind: FolderKind, problems: FolderProblem[]): KindRead {
  const names = catchFileErrors({ path: kind, problems }, () => {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return readdirSync(path).sort()
    problems.push({ path: kind, message: 'is not a folder.' })
    return undefined
  })
  const entries = names?.filter((name) => !name.startsWith('.'))
  if (!entries) return { files: [], slugs: undefined }
  const files = entries.flatMap((entry) => {
    const name = `${kind}/${entry}`
    const text = catchFileErrors({ path: name, problems }, () => {
      const bytes = entryProblem(path, entry) ?? readFileSync(join(path, entry))
      if (typeof bytes !== 'string' && isUtf8(bytes)) return bytes.toString('utf8')
      const message = typeof bytes === 'string' ? bytes : 'is not text in UTF-8.'
      problems.push({ path: name, message })
      return undefined
    })
    if (text === undefined) return []
    const resource = parseResource({ kind, slug: slugOfEntry(entry), text }, problems)
    return resource ? [resource] : []
  })
  return { files, slugs: new Set(entries.map(slugOfEntry)) }
}

/** The name without its ending, also of a file that is refused for it. */
function slugOfEntry(entry: string): string {
  return parse(entry).name
}

/** The problem of an entry that would otherwise be ignored. */
function entryProblem(path: string, entry: string): string | undefined {
  const stats = statSync(join(path, entry), { throwIfNoEntry: false })
  if (!stats?.isFile()) return 'is not a file.'
  if (!entry.endsWith('.yaml')) return 'does not end in .yaml.'
  if (!isSlug(slugOfEntry(entry))) {
    return 'is not named by small letters, digits and dashes.'
  }
  return stats.size > bytesMax ? `is larger than ${bytesMax} bytes.` : undefined
}
