/** Says that something is loading, empty or failed, and what to do next. */

import type { ComponentChildren } from 'preact'
import type { ApiFailure } from '../api/client.ts'
import type { Found } from '../api/lines.ts'
import type { Followed } from '../api/query.ts'
import { count, percent } from './values.tsx'

/** Lines of the size of what is awaited, so that nothing moves when it comes. */
export function Loading({ lines = 4 }: { readonly lines?: number }) {
  return (
    <div class="loading" role="status">
      <span class="sr">Loading</span>
      {Array.from({ length: lines }, (_, index) => (
        <i key={index} />
      ))}
    </div>
  )
}

interface EmptyProps {
  readonly title: string
  /** Whether there is nothing else on the page. */
  readonly isPage?: boolean
  readonly children?: ComponentChildren
}

export function Empty({ title, isPage = false, children }: EmptyProps) {
  return (
    <div class="empty">
      <svg viewBox="0 0 48 32" aria-hidden="true">
        <path d="M4 28h40M10 28V16m9 12V8m10 20V19m9 9V12" />
      </svg>
      {isPage ? <h1>{title}</h1> : <p class="empty-title">{title}</p>}
      {children}
    </div>
  )
}

/** A command for the terminal. */
export function Command({ children }: { readonly children: string }) {
  return (
    <pre class="command">
      <code>{children}</code>
    </pre>
  )
}

interface FailedProps {
  readonly failure: Error | ApiFailure
  readonly retry?: () => void
}

/** Stays until it is dealt with. */
export function Failed({ failure, retry }: FailedProps) {
  const { details = [], requestId } = failure as Partial<ApiFailure>
  return (
    <div class="failed" role="alert">
      <p>
        <b>{failure.message}</b>
      </p>
      {details.length > 0 && (
        <ul>
          {details.map(({ path, message }) => (
            <li key={path + message}>
              <code>{path}</code> {message}
            </li>
          ))}
        </ul>
      )}
      {requestId !== undefined && (
        <p class="soft">
          Request <code>{requestId}</code>
        </p>
      )}
      {retry && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  )
}

interface PendingProps {
  readonly of: Omit<Followed<unknown>, 'etag'>
  /** Of a page on which there is nothing else yet. */
  readonly title?: string
  readonly lines?: number
}

/** Says that an answer is loading, or why there is none. */
export function Pending({ of: { value, failure, refetch }, title, lines = 4 }: PendingProps) {
  const isNothing = value === undefined
  return (
    <>
      {title && isNothing && <h1>{title}</h1>}
      {failure ? (
        <Failed failure={failure} retry={refetch} />
      ) : (
        isNothing && <Loading lines={lines} />
      )}
    </>
  )
}

interface ScanProgressProps {
  readonly of: Found<unknown, unknown>
  readonly onStop: () => void
  readonly onAgain: () => void
}

/** How far a scan is, with a way to end it; nothing once it is over. */
export function ScanProgress({
  of: { progress, result, failure, isStopped },
  onStop,
  onAgain,
}: ScanProgressProps) {
  if (result || failure || progress?.done === 1) return null
  if (isStopped) {
    return (
      <p class="warning" role="status">
        Stopped: this is not all.{' '}
        <button type="button" onClick={onAgain}>
          Search again
        </button>
      </p>
    )
  }
  const { done = 0, scanned = 0 } = progress ?? {}
  return (
    <p class="marks">
      <progress max={1} value={done} aria-label="Looked at" /> {percent(done)} of the time looked
      at, {count(scanned)} evaluations{' '}
      <button type="button" onClick={onStop}>
        Stop
      </button>
    </p>
  )
}
