/** Shows a time absolutely and relatively, by the clock of the service. */

import { serverNowMs } from '../api/client.ts'

const absolute = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'medium',
  timeZone: 'UTC',
})
const relative = new Intl.RelativeTimeFormat('en')
const units = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** `3 minutes ago`; never of the future for what is past. */
function agoOf(timeMs: number, nowMs: number): string {
  const seconds = Math.max(0, Math.round((nowMs - timeMs) / 1_000))
  if (seconds === 0) return 'now'
  const [unit, size] = units.find(([, length]) => seconds >= length) ?? ['second', 1]
  return relative.format(-Math.floor(seconds / size), unit)
}

export function Moment({ at }: { readonly at: string }) {
  const timeMs = Date.parse(at)
  if (Number.isNaN(timeMs)) return <>{at}</>
  return (
    <time dateTime={at} class="moment">
      {absolute.format(timeMs)} UTC <span class="soft">{agoOf(timeMs, serverNowMs())}</span>
    </time>
  )
}
