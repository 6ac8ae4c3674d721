/** Reads and checks the resource files of a rulebook folder (YAML), and lists their references. */

import { isUtf8 } from 'node:buffer'
import { lstatSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, parse } from 'node:path'
import { type Document, isMap, isScalar, parseDocument, visit } from 'yaml'
import { describeFileFault, findFileFault } from '../../../domain/fileFaults.ts'
import { idPrefixes } from '../../../domain/ids.ts'
import { namedResources } from '../../connecting/resourceId.ts'
import { usageError } from '../../terminal/cliError.ts'
import {
  createProblemAt,
  type FolderProblem,
  findNodeOffset,
  findPosition,
} from './folderProblem.ts'
import {
  type FolderKind,
  fileName,
  folderKinds,
  isIdOf,
  isSlug,
  normalizeFields,
  type ResourceFields,
  type ResourceFile,
  readField,
} from './resourceFile.ts'

const bytesMax = 1024 * 1024

export interface RulebookFolder {
  /** By kind and name. */
  readonly files: readonly ResourceFile[]
  /** By kind, also of files in which something is wrong; nothing of a kind whose files could not be listed. */
  readonly slugs: ReadonlyMap<FolderKind, ReadonlySet<string>>
  /** The kinds without a subfolder: unlike an empty one, it does not mean that none are wanted. */
  readonly missingKinds: ReadonlySet<FolderKind>
  readonly problems: readonly FolderProblem[]
}

/** Reads all files; an absent folder counts as empty. */
export function readFolder(folder: string): RulebookFolder {
  const problems: FolderProblem[] = []
  const missingKinds = new Set(folderKinds.filter((kind) => !pathExists(join(folder, kind))))
  const slugs = new Map<FolderKind, ReadonlySet<string>>()
  const files = folderKinds.flatMap((kind) => {
    const entries = missingKinds.has(kind) ? [] : listEntries(folder, { kind, problems })
    if (entries) slugs.set(kind, new Set(entries.map(removeExtension)))
    return (entries ?? []).flatMap((entry) => readEntry(folder, entry, { kind, problems }) ?? [])
  })
  return { files, slugs, missingKinds, problems: [...problems, ...listDuplicateIds(files)] }
}

/**
 * Throws `usage` unless the folder exists and has a subfolder for at least one kind of resources, so that a push with a
 * mistyped name cannot delete everything.
 */
export function assertRulebook(folder: string): void {
  const stats = statSync(folder, { throwIfNoEntry: false })
  if (!stats) throw usageError(`There is no folder ${folder}; vigil pull makes one.`)
  if (!stats.isDirectory()) throw usageError(`${folder} is not a folder.`)
  if (folderKinds.some((kind) => pathExists(join(folder, kind)))) return
  throw usageError(
    `${folder} is no rulebook: it has none of ${folderKinds.map((kind) => `${kind}/`).join(', ')}. An empty one has them empty.`,
  )
}

/** Whether there is anything of that name, even a broken link. */
function pathExists(path: string): boolean {
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
    const bytes = findEntryProblem(path) ?? readFileSync(path)
    if (typeof bytes !== 'string' && isUtf8(bytes)) {
      const source = { kind, slug: removeExtension(entry), text: bytes.toString('utf8') }
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
    const fault = findFileFault(thrown)
    const reason = fault ? `cannot be used: ${describeFileFault(fault)}` : thrown.message
    problems.push({ path, message: `${reason}.` })
    return undefined
  }
}

/** The name without its ending, also of a file that is refused for it. */
function removeExtension(entry: string): string {
  return parse(entry).name
}

/** The problem of an entry that would otherwise be ignored. */
function findEntryProblem(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats?.isFile()) return 'is not a file.'
  if (!path.endsWith('.yaml')) return 'does not end in .yaml.'
  if (!isSlug(removeExtension(path))) return 'is not named by small letters, digits and dashes.'
  return stats.size > bytesMax ? `is larger than ${bytesMax} bytes.` : undefined
}

/** Parses the file; undefined if it has problems, which are added. */
export function parseResource(
  source: Pick<ResourceFile, 'kind' | 'slug' | 'text'>,
  problems: FolderProblem[],
): ResourceFile | undefined {
  const { kind, text } = source
  const document = parseDocument(text, { prettyErrors: false })
  const report = (offset: number, message: string): void => {
    problems.push({ path: fileName(source), ...findPosition(text, offset), message })
  }
  for (const { pos, message } of document.errors) report(pos[0], message)
  if (document.errors.length > 0) return undefined
  const value = readFields(document)
  if (!value) {
    report(0, 'must contain the fields of one resource, without aliases.')
    return undefined
  }
  const { id, ...given } = value
  if (id !== undefined && !(typeof id === 'string' && isIdOf(kind, id))) {
    const { noun } = namedResources[kind]
    const form = `${idPrefixes[noun]}_…`
    report(
      findNodeOffset(document, ['id']),
      `id must be the id of a ${noun} (${form}); leave it out for a new one.`,
    )
    return undefined
  }
  const fields = kind === 'recipes' ? keepParameterTexts(document, given) : given
  return { ...source, document, id, fields: normalizeFields(kind, fields) }
}

/** The fields; undefined when there are none, or with aliases, which can grow without limit. */
function readFields(document: Document): ResourceFields | undefined {
  if (!isMap(document.contents)) return undefined
  let hasAlias = false
  visit(document, {
    Alias: () => {
      hasAlias = true
      return visit.BREAK
    },
  })
  return hasAlias ? undefined : (document.toJS() as ResourceFields)
}

/** The fields, with numbers and booleans among the parameters as they are written in the file: `06` is not 6. */
function keepParameterTexts(document: Document, fields: ResourceFields): ResourceFields {
  const written: unknown = document.get('parameters', true)
  const parameters = fields['parameters']
  if (!isMap(written) || typeof parameters !== 'object' || parameters === null) return fields
  const texts = Object.entries(parameters).map(([name, value]: [string, unknown]) => {
    if (typeof value !== 'number' && typeof value !== 'boolean') return [name, value]
    const node: unknown = written.get(name, true)
    return [name, isScalar(node) && node.source !== undefined ? node.source : `${value}`]
  })
  return { ...fields, parameters: Object.fromEntries(texts) }
}

/** Reports files with the id of an earlier file. */
function listDuplicateIds(files: readonly ResourceFile[]): readonly FolderProblem[] {
  const seen = new Map<string, ResourceFile>()
  return files.flatMap((file) => {
    if (file.id === undefined) return []
    const first = seen.get(file.id)
    if (first) return [createProblemAt(file, ['id'], `has the id of ${fileName(first)}.`)]
    seen.set(file.id, file)
    return []
  })
}

/**
 * Reports references to missing files, and version pins on rules that are not created yet, since versions exist only on
 * the service.
 */
export function listBrokenReferences({ files, slugs }: RulebookFolder): readonly FolderProblem[] {
  const unmade = new Set(
    files.filter(({ kind, id }) => kind === 'rules' && id === undefined).map(({ slug }) => slug),
  )
  return files.flatMap((file) =>
    listReferences(file).flatMap(({ kind, text, path, isPinned }) => {
      // of a kind whose files could not be listed nothing is known
      if (!isIdOf(kind, text) && slugs.get(kind)?.has(text) === false) {
        return [createProblemAt(file, path, `there is no ${kind}/${text}.yaml.`)]
      }
      const pin = `pins a version of rules/${text}.yaml, which does not exist yet; remove the version_id.`
      return isPinned && unmade.has(text) ? [createProblemAt(file, path, pin)] : []
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
    const text = to === 'rules' ? readField(entry, 'rule') : entry
    if (typeof text !== 'string' || text === '') return []
    const path = to === 'rules' ? [to, index, 'rule'] : [to, index]
    return [{ kind: to, text, path, isPinned: readField(entry, 'version_id') !== undefined }]
  })
}
