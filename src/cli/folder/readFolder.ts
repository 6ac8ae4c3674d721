/** Reads a folder of rules, recipes and flows. */

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { usageError } from '../cliError.ts'
import { type Kind, kinds } from './kind.ts'
import { parseThing } from './parseThing.ts'
import { isSlug } from './slug.ts'
import { fileName, type ThingFile } from './thingFile.ts'

export type Things<Thing> = Readonly<Record<Kind, readonly Thing[]>>

const bytesMax = 1024 * 1024
const problemsShown = 50

/** Its files by kind, by name. Throws `usage` with a line for everything that is wrong in them; an absent folder is an empty one. */
export function readFolder(folder: string): Things<ThingFile> {
  const problems: string[] = []
  const read = (kind: Kind): readonly ThingFile[] => readKind(folder, kind, problems)
  const things = { rules: read('rules'), recipes: read('recipes'), flows: read('flows') }
  for (const kind of kinds) findTwins(things[kind], problems)
  refuseProblems(problems)
  return things
}

/** Throws `usage` when there are any. */
export function refuseProblems(problems: readonly string[]): void {
  if (problems.length === 0) return
  const more = problems.length - problemsShown
  const lines = [...problems.slice(0, problemsShown), ...(more > 0 ? [`and ${more} more`] : [])]
  throw usageError(`The folder is not in order.\n  ${lines.join('\n  ')}`)
}

function readKind(folder: string, kind: Kind, problems: string[]): readonly ThingFile[] {
  const place = join(folder, kind)
  if (!statSync(place, { throwIfNoEntry: false })) return []
  const entries = readdirSync(place).filter((name) => !name.startsWith('.'))
  return entries.sort().flatMap((entry) => {
    const problem = entryProblem(place, entry)
    if (problem !== undefined) {
      problems.push(`${kind}/${entry}: ${problem}`)
      return []
    }
    const text = readFileSync(join(place, entry), 'utf8')
    const thing = parseThing({ kind, slug: entry.slice(0, -'.yaml'.length), text }, problems)
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

function findTwins(files: readonly ThingFile[], problems: string[]): void {
  const seen = new Map<string, ThingFile>()
  for (const file of files) {
    if (file.id === undefined) continue
    const twin = seen.get(file.id)
    if (twin) problems.push(`${fileName(file)}: has the id of ${fileName(twin)}.`)
    else seen.set(file.id, file)
  }
}
