/** Frames every screen: navigation, sign-in, and what is said when something cannot be shown. */

import type { ComponentType } from 'preact'
import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { followLinks, here, linkTo, matchPath } from '../api/address.ts'
import { may, resume, session, signOut } from '../api/session.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import type { Screen, ViewProps } from './screen.ts'
import { SignIn } from './signIn.tsx'
import { ThemeChoice } from './theme.tsx'

/** A folder with a `screen.ts` is a screen. */
const screens = Object.values(
  import.meta.glob<Screen>('./*/screen.ts', { eager: true, import: 'screen' }),
)

// while it is found out who is there
void screens
  .find(({ path }) => matchPath(path, here.value.path))
  ?.load()
  .catch(() => undefined)

export function Shell() {
  useEffect(() => {
    document.addEventListener('click', followLinks)
    return () => document.removeEventListener('click', followLinks)
  }, [])
  const { value } = session
  if (value.state === 'asking') return <Loading lines={1} />
  if (value.state === 'unreachable') {
    return (
      <main class="lonely">
        <h1>Vigil</h1>
        <Failed failure={value.failure} retry={() => void resume()} />
      </main>
    )
  }
  if (value.state === 'none') {
    return (
      <main class="lonely">
        <SignIn />
      </main>
    )
  }
  return (
    <>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <Navigation />
      <main id="content" tabIndex={-1}>
        <Current />
      </main>
      {value.state === 'over' && (
        <Dialog title="Sign in again">
          <p>The session is over, or its token was revoked. What you have written stays below.</p>
          <SignIn isAgain />
        </Dialog>
      )}
    </>
  )
}

function Navigation() {
  const { value } = session
  const current = screens.find(({ path }) => matchPath(path, here.value.path))
  const isOver = (path: string) =>
    (current?.under ?? current?.path) === path || here.value.path.startsWith(`/versions${path}/`)
  const shown = screens
    .filter(({ order, scopes }) => order !== undefined && may(...scopes))
    .toSorted((one, other) => Number(one.order) - Number(other.order))
  // on a phone it may stand outside of what is seen
  useEffect(() => {
    const link = document.querySelector('nav [aria-current]')
    link?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [current])
  return (
    <header class="bar">
      <a class="brand" href={linkTo('/')}>
        <svg viewBox="0 0 32 32" aria-hidden="true">
          <path d="M7 9l9 15 9-15" />
          <circle cx="16" cy="11" r="2.6" />
        </svg>
        Vigil
      </a>
      <nav aria-label="Screens">
        {shown.map(({ path, title }) => (
          <a key={path} href={linkTo(path)} aria-current={isOver(path) ? 'page' : undefined}>
            {title}
          </a>
        ))}
      </nav>
      {'who' in value && (
        <details class="who">
          <summary>{value.who.account_name ?? 'Operator'}</summary>
          <div>
            <p>
              {value.who.name ?? (may('operator') ? 'Its token' : 'Token without a name')}
              <br />
              <span class="soft">{value.who.scopes.join(', ') || 'no scopes'}</span>
            </p>
            <ThemeChoice />
            <button type="button" onClick={() => void signOut()}>
              Sign out
            </button>
          </div>
        </details>
      )}
    </header>
  )
}

/** The screen of the address. */
function Current() {
  const { path } = here.value
  for (const screen of screens) {
    const params = matchPath(screen.path, path)
    if (!params) continue
    if (!may(...screen.scopes)) {
      const scopes = screen.scopes.filter((scope) => scope !== 'operator')
      return (
        <Empty title={`This token may not see: ${screen.title}`} isPage>
          <p>
            {scopes.length > 0
              ? `It needs the scope ${scopes.join(' or ')}.`
              : 'It is for the token of the operator.'}
          </p>
        </Empty>
      )
    }
    return <Loaded key={path} screen={screen} params={params} />
  }
  return (
    <Empty title="There is nothing at this address" isPage>
      <p>
        <a href={linkTo('/')}>To the overview</a>
      </p>
    </Empty>
  )
}

function Loaded({ screen, params }: ViewProps & { readonly screen: Screen }) {
  const [view, show] = useState<{ readonly View: ComponentType<ViewProps> }>()
  const [failure, fail] = useState<Error>()
  // most often it is there already: then nothing is painted in between
  useLayoutEffect(() => {
    document.title = `${screen.title} · Vigil`
    screen.load().then((View) => show({ View }), fail)
  }, [screen])
  if (failure) return <Outdated title={screen.title} />
  return view ? <view.View params={params} /> : <Waiting title={screen.title} />
}

function Waiting({ title }: Pick<Screen, 'title'>) {
  return (
    <>
      <h1>{title}</h1>
      <Loading />
    </>
  )
}

/** After an upgrade the parts that an open page would load are gone. */
function Outdated({ title }: Pick<Screen, 'title'>) {
  const message =
    'A part of the console did not load: there may be a newer version. Texts that were not saved stay when the page is loaded anew.'
  return (
    <>
      <h1>{title}</h1>
      <Failed failure={new Error(message)} retry={() => location.reload()} />
    </>
  )
}
