import { PrldSessionClient } from '@prelude.so/js-sdk/session'
import { dispatchSignals } from '@prelude.so/js-sdk/signals'

const { sdkKey, vigilUrl, domain } = await (await fetch('/settings')).json()
const client = new PrldSessionClient({ domain })
const [form, output] = document.querySelectorAll('form, output')

/** Puts the first refresh token where the client looks for it. */
async function handOver(refreshToken) {
  await client.refresh().catch(() => {}) // refused, and has made the database by then
  const { target } = await new Promise((resolve) => (indexedDB.open('prld').onsuccess = resolve))
  target.result.transaction('refresh_tokens', 'readwrite').objectStore('refresh_tokens').put({ domain, refreshToken })
}

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  const { phone, password } = Object.fromEntries(new FormData(form))
  const dispatch = await dispatchSignals(sdkKey, { url: vigilUrl })
  const body = JSON.stringify({ phone, password, dispatch })
  const answer = await fetch(`/${event.submitter.value}`, { method: 'POST', body })
  const { refused, refresh_token } = await answer.json()
  if (refused) {
    output.value = refused
    return
  }
  await handOver(refresh_token)
  const { user } = await client.refresh()
  const { total } = await client.listSessions()
  output.value = `Signed in as ${user.profile.sub}. Active sessions: ${total}.`
})
