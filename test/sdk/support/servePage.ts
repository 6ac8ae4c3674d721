/** A page of another site than the service's, with the published browser SDK on it as it was published. */

import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { listen } from '../../support/listen.ts'

const modules = 'node_modules/'

/** What a bundler does for a page: the names of the packages, by their files. */
const imports = {
  '@prelude.so/js-sdk/signals': '/@prelude.so/js-sdk/dist/inline/signals.js',
  '@prelude.so/js-sdk/session': '/@prelude.so/js-sdk/dist/inline/session.js',
  '@prelude.so/core': '/@prelude.so/core/dist/index.js',
  '@prelude.so/core/core.js': '/@prelude.so/core/dist/core.js',
  'browser-tabs-lock': '/browser-tabs-lock.js',
}

const page = `<!doctype html>
<title>A shop</title>
<link rel="icon" href="data:,">
<script type="importmap">${JSON.stringify({ imports })}</script>
<script type="module">
  import { dispatchSignals } from '@prelude.so/js-sdk/signals'
  import { PrldSessionClient } from '@prelude.so/js-sdk/session'
  window.SessionClient = PrldSessionClient
  window.dispatch = dispatchSignals
</script>
`

/** The one package among them that is no ES module, as a bundler wraps it. */
function tabsLock(): string {
  const files = ['processLock', 'index'].map((name) => {
    const source = readFileSync(`${modules}browser-tabs-lock/${name}.js`, 'utf8')
    return `known['./${name}'] = ((exports) => {\n${source}\nreturn exports })({});\n`
  })
  return [
    'const known = {};\n',
    'const require = (name) => known[name];\n',
    ...files,
    "export default known['./index'];\n",
  ].join('')
}

interface ServedPage {
  readonly url: string
  readonly close: () => Promise<void>
}

/** Serves it on a free port. */
export async function servePage(): Promise<ServedPage> {
  const server = createServer((req, res) => {
    const { pathname } = new URL(req.url ?? '/', 'http://localhost')
    if (pathname === '/') return res.setHeader('content-type', 'text/html').end(page)
    res.setHeader('content-type', 'text/javascript')
    if (pathname === '/browser-tabs-lock.js') return res.end(tabsLock())
    if (/^\/@prelude\.so\/[\w/.-]+\.js$/.test(pathname) && !pathname.includes('..')) {
      return res.end(readFileSync(`${modules}${pathname.slice(1)}`))
    }
    return res.writeHead(404).end()
  })
  const { port, close } = await listen(server)
  // a name that browsers take for secure, as a shop with TLS is
  return { url: `http://localhost:${port}/`, close }
}
