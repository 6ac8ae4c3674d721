/** Knows where the page is, and goes elsewhere without loading it anew. */

import { computed, signal } from '@preact/signals'

const root = '/console'

const href = signal(location.pathname + location.search)

addEventListener('popstate', () => {
  href.value = location.pathname + location.search
})

/** The path below the console, `/` at least, and the parameters. */
export const here = computed(() => {
  const url = new URL(href.value, location.origin)
  return { path: url.pathname.slice(root.length) || '/', query: url.searchParams }
})

/** The address of a path below the console; parameters without a value are left out. */
export function linkTo(
  path: string,
  query: Readonly<Record<string, string | undefined>> = {},
): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  const search = new URLSearchParams(given as [string, string][])
  return root + path + (search.size > 0 ? `?${search}` : '')
}

/** `replace`: Back leads to what was before this page. */
export function go(address: string, how: 'push' | 'replace' = 'push'): void {
  if (how === 'push') history.pushState(null, '', address)
  else history.replaceState(null, '', address)
  href.value = location.pathname + location.search
}

/** Follows links below the console without loading the page. */
export function followLinks(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest('a') : null
  const isPlain =
    event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
  if (!link || !isPlain || link.target || link.hasAttribute('download')) return
  const isOwn = link.origin === location.origin && link.pathname.startsWith(`${root}/`)
  const isInPage = link.hash !== '' && link.pathname === location.pathname
  if (!isOwn || isInPage || link.pathname.startsWith(`${root}/api/`)) return
  event.preventDefault()
  const address = link.pathname + link.search
  if (address !== href.value) go(address)
  document.querySelector('main')?.focus({ preventScroll: true })
  scrollTo(0, 0)
}

/** The parameters of a path by a pattern such as `/rules/:id`; undefined where it does not fit. */
export function matchPath(
  pattern: string,
  path: string,
): Readonly<Record<string, string>> | undefined {
  const source = pattern.replaceAll(/:(\w+)/g, '(?<$1>[^/]*)')
  const found = new RegExp(`^${source}/?$`).exec(path)
  const given = Object.entries(found?.groups ?? {})
  return found ? Object.fromEntries(given.map(([name, text]) => [name, decode(text)])) : undefined
}

/** A text that is no encoding stands for itself: it names nothing that there is. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
