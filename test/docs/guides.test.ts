/** How the README and the guides write their commands; they are run by `guides.slow.test.ts`. */

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { pages, testedApart } from './support/guides.ts'
import { shownBy } from './support/runGuide.ts'

const ofKind = (kind: string) =>
  pages.flatMap(({ page, blocks }) =>
    blocks.filter((block) => block.kind === kind).map(({ text }) => ({ page, text })),
  )

test.each(Object.entries(testedApart))('%s are run by %s', (page, file) => {
  expect(readFileSync(file, 'utf8')).toContain(`'${page}'`)
  expect(readFileSync(file, 'utf8')).toContain('runGuide(')
})

test('every block says what it is, so that no command is passed over', () => {
  const kinds = new Set(pages.flatMap(({ blocks }) => blocks.map(({ kind }) => kind)))

  expect([...kinds].toSorted()).toEqual(
    ['cel', 'console', 'http', 'js', 'json', 'sh', 'sh elsewhere', 'text', 'yaml'].toSorted(),
  )
  const texts = pages.flatMap(({ blocks }) => blocks.filter(({ kind }) => !kind.startsWith('sh')))
  const commands = texts.filter(
    ({ kind, text }) => kind !== 'console' && /^\$? *(npx|vigil|curl) /m.test(text),
  )
  expect(commands).toEqual([])
})

test('what is not run here needs root, containers, or servers that are not there', () => {
  const first = ofKind('sh elsewhere').map(({ page, text }) => `${page}: ${text.split('\n')[0]}`)

  expect(first).toMatchInlineSnapshot(`
    [
      "README.md: npm ci && npm start",
      "README.md: sh ops/makeSecrets.sh",
      "README.md: docker compose exec -e VIGIL_TOKEN="$VIGIL_TOKEN" vigil vigil eval Signup --phone +33612345678 --ext shop_country=FR",
      "docs/guide/backup.md: npx vigil restore /mnt/backups/vigil-monday --data /var/lib/vigil",
      "docs/guide/backup.md: EVENTSTORE_URL=esdb://eventstore:2113 MONGODB_URL=mongodb://mongo/vigil npx vigil migrate --from /var/lib/vigil",
      "docs/guide/deployment.md: git clone REPOSITORY /opt/vigil && cd /opt/vigil",
      "docs/guide/deployment.md: useradd --system --home-dir /var/lib/vigil --shell /usr/sbin/nologin vigil",
      "docs/guide/deployment.md: docker build -t vigil .",
      "docs/guide/deployment.md: EVENTSTORE_URL='esdb://127.0.0.1:2113?tls=false' MONGODB_URL='mongodb://127.0.0.1:27017/vigil' npm start",
      "docs/guide/deployment.md: docker compose -f docker-compose.yml -f docker-compose.kurrentdb.yml up --wait",
      "docs/guide/deployment.md: docker compose down",
      "docs/guide/deployment.md: docker compose exec mongo sh -c 'mongosh "mongodb://vigil:$(cat /run/secrets/mongodb-password)@127.0.0.1/vigil"'",
      "docs/guide/deployment.md: sh ops/makeSecrets.sh",
      "docs/guide/deployment.md:    cd /opt/vigil && git fetch && git checkout VERSION",
      "docs/guide/kubernetes.md: docker build -t registry.example.com/vigil:0.1.0 . && docker push registry.example.com/vigil:0.1.0",
      "docs/guide/kubernetes.md: sh ops/makeSecrets.sh",
      "docs/guide/kubernetes.md: kubectl apply -k ops/kubernetes",
      "docs/guide/kubernetes.md: vigil() { kubectl -n vigil exec deployment/vigil-api -- vigil "$@"; }",
      "docs/guide/prelude-sdks.md: npm install @prelude.so/sdk @prelude.so/js-sdk vite",
      "docs/guide/read-models.md: VIGIL_ANALYST_PASSWORD=… mongosh "$ADMIN_URL" --quiet --file grant.js",
      "docs/guide/running.md: npx vigil operator-token reset --data /var/lib/vigil",
    ]
  `)
})

test('all of them name the program and the service in one way', () => {
  const texts = [
    ...ofKind('sh'),
    ...ofKind('console').map(({ page, text }) => ({ page, text: shownBy(text).command })),
  ]
  const odd = texts.filter(
    ({ text }) =>
      /(?<!npx )\bvigil (--json )?[a-z]+ /.test(text.replaceAll(/^#.*$|"[^"]*"/gm, '')) ||
      /127\.0\.0\.1|localhost:\d|\$\{?PORT|\$TOKEN\b/.test(text),
  )

  expect(texts.length).toBeGreaterThan(40)
  expect(odd).toEqual([])
})
