import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:https'

const { VIGIL_URL, TLS_PORT, SHOP_FILES } = process.env
const { hostname, port } = new URL(VIGIL_URL)
const tls = { key: readFileSync(`${SHOP_FILES}/session.key`), cert: readFileSync(`${SHOP_FILES}/session.crt`) }

// the host that was asked for goes through as it was: it names the application
createServer(tls, (asked, response) => {
  const { method, url: path, headers } = asked
  const passed = request({ hostname, port, method, path, headers }, (answer) => {
    response.writeHead(answer.statusCode, answer.rawHeaders)
    answer.pipe(response)
  })
  passed.on('error', () => response.destroy())
  asked.pipe(passed)
}).listen(TLS_PORT, '127.0.0.1')
