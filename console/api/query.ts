/** Keeps answers of the API for the screens, and follows them in components. */

import { QueryClient, QueryObserver } from '@tanstack/query-core'
import { useLayoutEffect, useMemo, useReducer } from 'preact/hooks'
import { type Answered, type ApiFailure, type Asked, ask, type OperationKey } from './client.ts'
import type { Operations } from './schema.ts'

/** Nothing is asked again on its own: an answer must not change under who reads it. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      retry: false,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      networkMode: 'always',
    },
  },
})

export interface Followed<Value> {
  readonly value: Value | undefined
  readonly etag: string | undefined
  readonly failure: ApiFailure | undefined
  readonly refetch: () => void
}

interface FollowOptions {
  /** Not asked until then. */
  readonly enabled?: boolean
}

/** The answer of an operation, asked when the component appears and when what it is asked with changes. */
export function useAnswer<Key extends OperationKey>(
  key: Key,
  asked: Asked<Key>,
  { enabled = true }: FollowOptions = {},
): Followed<Operations[Key]['answer']> {
  const options = queries.defaultQueryOptions<
    Answered<Operations[Key]['answer']>,
    ApiFailure,
    Answered<Operations[Key]['answer']>,
    Answered<Operations[Key]['answer']>
  >({
    queryKey: [key, asked],
    queryFn: ({ signal }: { signal: AbortSignal }) => ask(key, { ...asked, signal }),
    enabled,
  })
  const observer = useMemo(
    () =>
      new QueryObserver<
        Answered<Operations[Key]['answer']>,
        ApiFailure,
        Answered<Operations[Key]['answer']>,
        Answered<Operations[Key]['answer']>
      >(queries, options),
    [],
  )
  const [, rerender] = useReducer((count: number) => count + 1, 0)
  // asked before the page is painted, not after
  useLayoutEffect(() => observer.subscribe(() => rerender(undefined)), [observer])
  useLayoutEffect(() => observer.setOptions(options), [JSON.stringify([key, asked, enabled])])
  // of what is asked now, never of what was asked before
  const result = observer.getOptimisticResult(options)
  return {
    value: result.data?.value,
    etag: result.data?.etag,
    failure: result.error ?? undefined,
    refetch: () => void observer.refetch(),
  }
}

/** What was kept of these operations is asked anew; then it is shown. */
export async function forget(...keys: readonly OperationKey[]): Promise<void> {
  await queries.invalidateQueries({
    predicate: ({ queryKey }) => keys.includes(queryKey[0] as OperationKey),
  })
  // components are told in the next turn
  await new Promise((resolve) => setTimeout(resolve))
}
