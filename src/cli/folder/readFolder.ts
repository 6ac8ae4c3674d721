/** Reads a folder of rules, recipes and flows. */

import { lstatSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { usageError } from '../cliError.ts'
import { type Kind, kinds } from './kind.ts'
import { parseThing } from './parseThing.ts'
import { type FolderProblem, onDisk } from './problem.ts'
import { isSlug } from './slug.ts'
import { fileName, type ThingFile } from './thingFile.ts'

export type Things<Thing> = Readonly<Record<Kind, readonly Thing[]>>

const bytesMax = 1024 * 1024

/** What a folder holds. */
export interface Folder {
  readonly files: Things<ThingFile>
  /** The name of every file, also of those in which something is wrong. */
  readonly slugs: Readonly<Record<Kind, ReadonlySet<string>>>
  /** The kinds that have no place in it: it says nothing of them, not even that there are none. */
  readonly absent: ReadonlySet<Kind>
  readonly problems: readonly FolderProblem[]
}

/** Its files by kind, by name; an absent folder is an empty one. Throws `usage` for what the system does not let it read. */
export function readFolder(folder: string): Folder {
  const problems: FolderProblem[] = []
  const slugs = { rules: new Set<string>(), recipes: new Set<string>(), flows: new Set<string>() }
  const read = (kind: Kind): readonly ThingFile[] =>
    onDisk(() => readKind(join(folder, kind), kind, { slugs: slugs[kind], problems }))
  const files = { rules: read('rules'), recipes: read('recipes'), flows: read('flows') }
  for (const kind of kinds) findTwins(files[kind], problems)
  const absent = new Set(kinds.filter((kind) => !isThere(join(folder, kind))))
  return { files, slugs, absent, problems }
}

/**
 * Throws `usage` unless the folder is there and has a place for at least one kind of things: whoever mistypes its name must not
 * have everything deleted that it does not hold.
 */
export function assertRulebook(folder: string): void {
  const stats = onDisk(() => statSync(folder, { throwIfNoEntry: false }))
  if (!stats) throw usageError(`There is no folder ${folder}; vigil pull makes one.`)
  if (!stats.isDirectory()) throw usageError(`${folder} is not a folder.`)
  if (kinds.some((kind) => isThere(join(folder, kind)))) return
  throw usageError(
    `${folder} is no rulebook: it has none of ${kinds.map((kind) => `${kind}/`).join(', ')}. An empty one has them empty.`,
  )
}

/** Whether there is anything of that name, be it a link that leads nowhere. */
function isThere(path: string): boolean {
  return onDisk(() => lstatSync(path, { throwIfNoEntry: false })) !== undefined
}

interface Found {
  readonly slugs: Set<string>
  readonly problems: FolderProblem[]
}

function readKind(place: string, kind: Kind, { slugs, problems }: Found): readonly ThingFile[] {
  if (!isThere(place)) return []
  if (!statSync(place, { throwIfNoEntry: false })?.isDirectory()) {
    problems.push({ path: kind, message: 'is not a folder.' })
    return []
  }
  const entries = readdirSync(place).filter((name) => !name.startsWith('.'))
  return entries.sort().flatMap((entry) => {
    const message = entryProblem(place, entry)
    const slug = entry.slice(0, -'.yaml'.length)
    if (entry.endsWith('.yaml')) slugs.add(slug)
    if (message !== undefined) {
      problems.push({ path: `${kind}/${entry}`, message })
      return []
    }
    const text = readFileSync(join(place, entry), 'utf8')
    const thing = parseThing({ kind, slug, text }, problems)
    return thing ? [thing] : []
  })
}

/** A file that would be passed over in silence would be missed. */
function entryProblem(place: string, entry: string): string | undefined {
  const stats = statSync(join(place, entry), { throwIfNoEntry: false })
  if (!stats?.isFile()) return 'is not a file.'
  if (!entry.endsWith('.yaml')) return 'does not end in .yaml.'
  if (!isSlug(entry.slice(0, -'.yaml'.length))) {
    return 'is not named by small letters, digits and dashes.'
  }
  return stats.size > bytesMax ? `is larger than ${bytesMax} bytes.` : undefined
}

function findTwins(files: readonly ThingFile[], problems: FolderProblem[]): void {
  const seen = new Map<string, ThingFile>()
  for (const file of files) {
    if (file.id === undefined) continue
    const twin = seen.get(file.id)
    if (twin) {
      problems.push({ path: fileName(file), message: `has the id of ${fileName(twin)}.` })
    } else seen.set(file.id, file)
  }
}
