/** Reads the resource files of a rulebook folder, and reports what cannot be read. */

import { isUtf8 } from 'node:buffer'
import { lstatSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, parse } from 'node:path'
import { usageError } from '../../terminal/cliError.ts'
import { listDuplicateIds, type Slugs } from './checkReferences.ts'
import type { FolderProblem } from './folderProblem.ts'
import { parseResource } from './parseResource.ts'
import { type FolderKind, folderKinds, isSlug, type ResourceFile } from './resourceFile.ts'

const bytesMax = 1024 * 1024

/** The contents of a folder. */
export interface RulebookFolder {
  /** By kind and name. */
  readonly files: readonly ResourceFile[]
  /** Also of files in which something is wrong, or that could not be read. */
  readonly slugs: Slugs
  /** The kinds without a subfolder: unlike an empty one, it does not mean that none are wanted. */
  readonly missingKinds: ReadonlySet<FolderKind>
  readonly problems: readonly FolderProblem[]
}

/** Reads all files; an absent folder counts as empty. */
export function readFolder(folder: string): RulebookFolder {
  const problems: FolderProblem[] = []
  const missingKinds = new Set(folderKinds.filter((kind) => !isThere(join(folder, kind))))
  const slugs = new Map<FolderKind, ReadonlySet<string>>()
  const files = folderKinds.flatMap((kind) => {
    const entries = missingKinds.has(kind) ? [] : listEntries(folder, { kind, problems })
    if (entries) slugs.set(kind, new Set(entries.map(slugOfEntry)))
    return (entries ?? []).flatMap((entry) => readEntry(folder, entry, { kind, problems }) ?? [])
  })
  return { files, slugs, missingKinds, problems: [...problems, ...listDuplicateIds(files)] }
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

interface KindReading {
  readonly kind: FolderKind
  readonly problems: FolderProblem[]
}

/** The names of the files of a kind; undefined with a problem when they cannot be listed. */
function listEntries(
  folder: string,
  { kind, problems }: KindReading,
): readonly string[] | undefined {
  return catchFileErrors(kind, problems, () => {
    const path = join(folder, kind)
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
      return readdirSync(path)
        .filter((name) => !name.startsWith('.'))
        .sort()
    }
    problems.push({ path: kind, message: 'is not a folder.' })
    return undefined
  })
}

/** The resource of a file; undefined with a problem when it cannot be read. */
function readEntry(
  folder: string,
  entry: string,
  { kind, problems }: KindReading,
): ResourceFile | undefined {
  const name = `${kind}/${entry}`
  const path = join(folder, name)
  return catchFileErrors(name, problems, () => {
    const bytes = entryProblem(path) ?? readFileSync(path)
    if (typeof bytes !== 'string' && isUtf8(bytes)) {
      const source = { kind, slug: slugOfEntry(entry), text: bytes.toString('utf8') }
      return parseResource(source, problems)
    }
    const message = typeof bytes === 'string' ? bytes : 'is not text in UTF-8.'
    problems.push({ path: name, message })
    return undefined
  })
}

/** Accesses files; a system error is added to the problems, and undefined is returned. */
function catchFileErrors<Result>(
  path: string,
  problems: FolderProblem[],
  work: () => Result,
): Result | undefined {
  try {
    return work()
  } catch (thrown) {
    if (!(thrown instanceof Error && 'syscall' in thrown)) throw thrown
    problems.push({ path, message: `${thrown.message}.` })
    return undefined
  }
}

/** The name without its ending, also of a file that is refused for it. */
function slugOfEntry(entry: string): string {
  return parse(entry).name
}

/** The problem of an entry that would otherwise be ignored. */
function entryProblem(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats?.isFile()) return 'is not a file.'
  if (!path.endsWith('.yaml')) return 'does not end in .yaml.'
  if (!isSlug(slugOfEntry(path))) return 'is not named by small letters, digits and dashes.'
  return stats.size > bytesMax ? `is larger than ${bytesMax} bytes.` : undefined
}
