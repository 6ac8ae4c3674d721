/** Sessions as JSON, each written once. */

import type { SessionsPage } from '../../service/sessions/ownSessionsPart.ts'
import type { SessionView } from '../../service/sessions/sessionViews.ts'

/** Gone with the views, which the service keeps no longer than the keys that their devices are sealed under. */
const texts = new WeakMap<SessionView, string>()

/** The text that `JSON.stringify` makes of the page. */
export function sessionsText({ sessions, ...counts }: SessionsPage): string {
  // the sessions come first, as they do in the page
  return `{"sessions":[${sessions.map(textOf).join(',')}],${JSON.stringify(counts).slice(1)}`
}

function textOf(view: SessionView): string {
  const known = texts.get(view)
  if (known !== undefined) return known
  const text = JSON.stringify(view)
  texts.set(view, text)
  return text
}
