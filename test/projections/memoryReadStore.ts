import { type Lease, LeaseLost } from '../../src/stores/lease.ts'
import type {
  Change,
  Checkpoint,
  Collection,
  FindQuery,
  LoadedDocument,
  ReadStore,
  SharedReadStore,
  StoredDocument,
} from '../../src/stores/readStore.ts'

export interface MemoryDisk {
  readonly collections: Map<string, Map<string, LoadedDocument>>
  /** Collections whose indexes are complete. */
  readonly indexed: Set<string>
  readonly checkpoints: Map<string, Checkpoint>
  readonly leases: Map<string, Lease & { readonly endsMs: number }>
}

export function memoryDisk(): MemoryDisk {
  return { collections: new Map(), indexed: new Set(), checkpoints: new Map(), leases: new Map() }
}

/**
 * A read store without transactions, as a document database is: each write stands alone, documents first and the
 * checkpoint last, and `fault` may throw before any of them. `nowMs` is the clock of the store.
 */
export function memoryReadStore(
  disk: MemoryDisk = memoryDisk(),
  fault: (before: string) => void = () => undefined,
  nowMs: () => number = Date.now,
): SharedReadStore {
  const of = ({ name, version }: Pick<Collection, 'name' | 'version'>) => {
    const found = disk.collections.get(`${name}@${version}`)
    if (!found) throw new Error(`collection ${name} version ${version} is not prepared`)
    return found
  }

  const storeOf = (refuse: () => void): ReadStore => {
    const commit: CommitOne = async (changes, checkpoint) => {
      refuse()
      for (const change of changes) {
        fault('write')
        await Promise.resolve()
        write(of(change.collection), change)
      }
      fault('checkpoint')
      await Promise.resolve()
      refuse()
      const key = `${checkpoint.projection}@${checkpoint.version}`
      const known = disk.checkpoints.get(key)
      if (known && known.position > checkpoint.position) return
      disk.checkpoints.set(key, {
        ...checkpoint,
        ready: checkpoint.ready || (known?.ready ?? false),
      })
    }
    return {
      get: async (collection, id) => {
        fault('get')
        return alive(of(collection).get(id))
      },
      load: async (collection, ids) => {
        fault('load')
        return ids.flatMap((id) => of(collection).get(id) ?? [])
      },
      find: async (collection, find) => {
        fault('find')
        assertAnswerable(collection, find)
        return found([...of(collection).values()], find)
      },
      ...commitsBy(commit),
      checkpoints: async () => {
        fault('checkpoints')
        return [...disk.checkpoints].sort().map(([, checkpoint]) => checkpoint)
      },
      prepare: async (collections) => {
        fault('prepare')
        refuse()
        for (const collection of collections) prepare(disk, collection)
      },
      completeIndexes: async (collections, signal) => {
        fault('completeIndexes')
        refuse()
        for (const { name, version } of collections) {
          if (signal?.aborted) return false
          disk.indexed.add(`${name}@${version}`)
        }
        return true
      },
      drop: async ({ projection, version, collections }) => {
        fault('drop')
        refuse()
        for (const name of collections) disk.collections.delete(`${name}@${version}`)
        disk.checkpoints.delete(`${projection}@${version}`)
      },
      sweep: async (collection, position) => {
        fault('sweep')
        refuse()
        for (const one of of(collection).values()) {
          if (one.body === null && one.position <= position) of(collection).delete(one.id)
        }
      },
      nowMs: async () => {
        fault('nowMs')
        return nowMs()
      },
      close: async () => undefined,
    }
  }

  const refuseLost = (lease: Lease) => () => {
    if (disk.leases.get(lease.name)?.fence !== lease.fence) throw new LeaseLost(lease)
  }
  return {
    ...storeOf(() => undefined),
    leases: leasesOf(disk, { fault, nowMs }),
    withLease: (lease) => storeOf(refuseLost(lease)),
  }
}

type CommitOne = (changes: readonly Change[], checkpoint: Checkpoint) => Promise<void>

/** Commits that are each this one. */
export function commitsBy(commit: CommitOne): Pick<ReadStore, 'commit'> {
  return {
    commit: async (commits) => {
      for (const { changes, checkpoint } of commits) await commit(changes, checkpoint)
    },
  }
}

/** Commits for one version of a projection. */
export function commitTo(
  store: Pick<ReadStore, 'commit'>,
  changes: readonly Change[],
  checkpoint: Checkpoint,
): Promise<void> {
  return store.commit([{ changes, checkpoint }])
}

function leasesOf(
  { leases }: MemoryDisk,
  { fault, nowMs }: { readonly fault: (before: string) => void; readonly nowMs: () => number },
): SharedReadStore['leases'] {
  return {
    acquire: async ({ name, owner, forMs }) => {
      fault('acquire')
      const known = leases.get(name)
      const aheadMs = (known?.endsMs ?? 0) - nowMs()
      if (known && known.owner !== owner && aheadMs > 0 && aheadMs <= forMs) return undefined
      const lease = { name, owner, fence: (known?.fence ?? 0) + 1 }
      leases.set(name, { ...lease, endsMs: nowMs() + forMs })
      return lease
    },
    renew: async (lease, forMs) => {
      fault('renew')
      if (leases.get(lease.name)?.fence !== lease.fence) return false
      leases.set(lease.name, { ...lease, endsMs: nowMs() + forMs })
      return true
    },
    release: async (lease) => {
      fault('release')
      if (leases.get(lease.name)?.fence === lease.fence)
        leases.set(lease.name, { ...lease, endsMs: 0 })
    },
  }
}

const indexes = new WeakMap<object, string>()

function prepare(disk: MemoryDisk, collection: Collection): void {
  const key = `${collection.name}@${collection.version}`
  const known = disk.collections.get(key) ?? new Map<string, LoadedDocument>()
  const declared = JSON.stringify(collection.indexes)
  if ((indexes.get(known) ?? declared) !== declared) throw new Error('give it a new version')
  indexes.set(known, declared)
  disk.collections.set(key, known)
}

function write(documents: Map<string, LoadedDocument>, { id, position, body }: Change): void {
  const known = documents.get(id)
  const wins = body === null && known?.body !== null
  if (known && (known.position > position || (known.position === position && !wins))) return
  documents.set(id, { id, position, body })
}

function alive(document: LoadedDocument | undefined): StoredDocument | undefined {
  return document?.body ? { ...document, body: document.body } : undefined
}

function assertAnswerable(
  collection: Collection,
  { where, sort = [], limit, after }: FindQuery,
): void {
  if (after && after.values.length !== sort.length) throw new Error('after')
  if (!Number.isInteger(limit) || limit < 1 || limit > 1_000) throw new Error('limit')
  const fields = Object.keys(where)
  const equal = fields.filter((field) => typeof where[field] !== 'object')
  const rest = sort.map((field) => field.replace('-', ''))
  const ranged = fields.filter((field) => typeof where[field] === 'object')
  if (rest.length === 0 && fields.every((field) => field === 'id')) return
  const fits = collection.indexes.some(
    (index) =>
      equal.every((field) => index.indexOf(field) < equal.length && index.includes(field)) &&
      rest.every((field, at) => index[equal.length + at] === field) &&
      (rest.length > 0 || index.length === equal.length),
  )
  if (!fits || ranged.some((field) => field !== rest[0])) throw new Error('no index')
}

type Value = string | number | boolean

function found(documents: LoadedDocument[], find: FindQuery): readonly StoredDocument[] {
  const sort = find.sort ?? []
  const sign = sort.some((field) => field.startsWith('-')) ? -1 : 1
  const keyOf = ({ id, body }: StoredDocument): Value[] => [
    ...sort.map((field) => body[field.replace('-', '')] as Value),
    id,
  ]
  const after = find.after && [...find.after.values, find.after.id]
  return documents
    .flatMap((document) => alive(document) ?? [])
    .filter((document) =>
      Object.entries(find.where).every(([field, wanted]) =>
        matches(field === 'id' ? document.id : (document.body[field] as Value), wanted),
      ),
    )
    .filter((document) => !after || sign * compare(keyOf(document), after) > 0)
    .sort((a, b) => sign * compare(keyOf(a), keyOf(b)))
    .slice(0, find.limit)
}

function compare(a: readonly Value[], b: readonly Value[]): number {
  for (const [index, value] of a.entries()) {
    const other = b[index] ?? ''
    if (value !== other) return value < other ? -1 : 1
  }
  return 0
}

function matches(value: Value, wanted: FindQuery['where'][string]): boolean {
  if (typeof wanted !== 'object') return value === wanted
  const { gte, gt, lte, lt, prefix } = wanted
  return (
    (gte === undefined || value >= gte) &&
    (gt === undefined || value > gt) &&
    (lte === undefined || value <= lte) &&
    (lt === undefined || value < lt) &&
    (prefix === undefined || String(value).startsWith(prefix))
  )
}
