/** Routes registering, listing, configuring and retiring applications. */

import { configureApp, retireApp } from '../../commands/sessions/apps/configureApp.ts'
import { type AppInput, registerApp } from '../../commands/sessions/apps/registerApp.ts'
import type { AppView } from '../../commands/sessions/views.ts'
import { originLengthMax } from '../../domain/network/webOrigin.ts'
import type { Principal } from '../../domain/principal.ts'
import {
  limits,
  optional,
  optionalFields,
  pageSchema,
  type Schema,
  timeText,
} from '../../domain/schema.ts'
import { appIdPattern } from '../../domain/sessions/appId.ts'
import {
  type AppSettings,
  type AppSettingsInput,
  allowedOriginsMax,
  appSettingBounds,
  type PasswordPolicy,
  passwordChangeRevokes,
  type TokenLifetimes,
} from '../../domain/sessions/appSettings.ts'
import { findApp, listApps } from '../../queries/sessions/apps.ts'
import { removed, seen, seenPage, written } from '../request/answer.ts'
import { schemaBody } from '../request/body/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { askingQuery, pageQuery } from '../request/queryReader.ts'
import type { Route } from '../request/route.ts'
import { type Fields, inputSchema, viewSchema } from '../request/schema/fields.ts'
import { type AppBase, accountBase, appRef, operatorBase, type SessionsService } from './appBase.ts'

const tokens = {
  access_seconds: number('access_seconds', 'How long an access token is valid.'),
  refresh_seconds: number('refresh_seconds', 'How long a session lives after its last refresh.'),
  session_days: number(
    'session_days',
    'How long a session lives from its start, however often it is refreshed; 0 for no end.',
  ),
  signing_key_days: number(
    'signing_key_days',
    'How old a signing key becomes before another one takes its place.',
  ),
} satisfies Fields<TokenLifetimes>

export const passwordPolicyFields = {
  min_length: number('min_length', 'In code points.'),
  max_length: number('max_length', 'In code points.'),
  uppercase: number('uppercase', 'How many letters of the Unicode class Lu at least.'),
  lowercase: number('lowercase', 'How many letters of the Unicode class Ll at least.'),
  numbers: number('numbers', 'How many digits of the Unicode class Nd at least.'),
  symbols: number('symbols', 'How many other characters at least.'),
} satisfies Fields<PasswordPolicy>

const allowedOrigins: Schema = {
  type: 'array',
  maxItems: allowedOriginsMax,
  uniqueItems: true,
  items: { type: 'string', minLength: 1, maxLength: originLengthMax },
  description:
    'Origins whose pages may call the host of the application with credentials, such as https://shop.example.',
}

const revokes: Schema = {
  type: 'string',
  enum: passwordChangeRevokes,
  description:
    'Whose sessions end when a user changes the password: none, all but the one it is changed in, or that one too.',
}

const settings: Schema = viewSchema<AppSettings>('AppSettings', {
  tokens: viewSchema<TokenLifetimes>('TokenLifetimes', tokens),
  password: viewSchema<PasswordPolicy>('PasswordPolicy', passwordPolicyFields),
  allowed_origins: allowedOrigins,
  password_change_revokes: revokes,
})

const appSettingsInputSchema: Schema = inputSchema<AppSettingsInput>(
  'AppSettingsInput',
  {
    tokens: optional(
      inputSchema<Partial<TokenLifetimes>>('TokenLifetimesInput', optionalFields(tokens)),
    ),
    password: optional(
      inputSchema<Partial<PasswordPolicy>>(
        'PasswordPolicyInput',
        optionalFields(passwordPolicyFields),
      ),
    ),
    allowed_origins: optional(allowedOrigins),
    password_change_revokes: optional(revokes),
  },
  { description: 'What is left out stays as it is.', minProperties: 1 },
)

const appInputSchema: Schema = inputSchema<AppInput>('AppInput', {
  name: { type: 'string', minLength: 1, maxLength: limits.name },
  app_id: optional({
    type: 'string',
    pattern: appIdPattern,
    description:
      '7 lower-case letters and digits, the first part of its host name; made when it is left out.',
  }),
  settings: optional(appSettingsInputSchema),
})

const appViewSchema: Schema = viewSchema<AppView>('App', {
  app_id: { type: 'string' },
  name: { type: 'string' },
  registered_at: timeText,
  retired_at: optional({ ...timeText, description: 'Absent while the application is in service.' }),
  settings,
})

const appListSchema: Schema = pageSchema('AppList', 'apps', appViewSchema)

/** `/v2/session/apps` for the account itself, and the same for the operator. */
export function appRoutes(service: SessionsService): readonly Route[] {
  return [...routesOf(service, accountBase(service)), ...routesOf(service, operatorBase(service))]
}

function routesOf<Caller extends Principal>(
  service: SessionsService,
  base: AppBase<Caller>,
): readonly Route[] {
  return [
    registerRoute(service, base),
    listRoute(service, base),
    getRoute(service, base),
    configureRoute(service, base),
    retireRoute(service, base),
  ]
}

function registerRoute<Caller extends Principal>(
  { sessionsContext: context }: SessionsService,
  base: AppBase<Caller>,
): Route {
  const { path, tag, access, ids, account, operation } = base
  return defineRoute({
    method: 'POST',
    path,
    operationId: operation('registerApp'),
    summary: 'Register an application',
    tag,
    kind: 'write',
    access,
    ids,
    body: schemaBody<AppInput>(appInputSchema),
    answers: { 201: { description: 'The application.', schema: appViewSchema } },
    failures: ['conflict'],
    serve: async (asked) =>
      written(
        201,
        await registerApp(context, asked.call, { account: account(asked), input: asked.body }),
      ),
  })
}

function listRoute<Caller extends Principal>(
  { sessionsContext: context }: SessionsService,
  base: AppBase<Caller>,
): Route {
  const { path, tag, access, ids, account, operation } = base
  return defineRoute({
    method: 'GET',
    path,
    operationId: operation('listApps'),
    summary: 'List the applications in the order they were registered, retired ones among them',
    tag,
    kind: 'read',
    access,
    ids,
    query: pageQuery,
    answers: { 200: { description: 'One page of applications.', schema: appListSchema } },
    failures: ['rate_limited'],
    serve: async (asked) =>
      seenPage(
        'apps',
        await listApps(context, asked.call, {
          account: account(asked),
          ...asked.query,
        }),
      ),
  })
}

function getRoute<Caller extends Principal>(
  { sessionsContext: context }: SessionsService,
  base: AppBase<Caller>,
): Route {
  const { path, tag, access, ids, operation } = base
  return defineRoute({
    method: 'GET',
    path: `${path}/{appID}`,
    operationId: operation('getApp'),
    summary: 'Retrieve an application',
    tag,
    kind: 'read',
    access,
    ids: { ...ids, appID: 'app' },
    query: askingQuery,
    answers: { 200: { description: 'The application.', schema: appViewSchema } },
    failures: [],
    serve: async (asked) => seen(await findApp(context, appRef(base, asked), asked.query)),
  })
}

function configureRoute<Caller extends Principal>(
  { sessionsContext: context }: SessionsService,
  base: AppBase<Caller>,
): Route {
  const { path, tag, access, ids, operation } = base
  return defineRoute({
    method: 'PUT',
    path: `${path}/{appID}/settings`,
    operationId: operation('configureApp'),
    summary: 'Set an application; what is left out stays as it is',
    tag,
    kind: 'write',
    access,
    ids: { ...ids, appID: 'app' },
    body: schemaBody<AppSettingsInput>(appSettingsInputSchema),
    answers: { 200: { description: 'The application.', schema: appViewSchema } },
    failures: ['conflict'],
    serve: async (asked) => {
      const change = { app: appRef(base, asked), settings: asked.body }
      return written(200, await configureApp(context, asked.call, change))
    },
  })
}

function retireRoute<Caller extends Principal>(
  { sessionsContext: context }: SessionsService,
  base: AppBase<Caller>,
): Route {
  const { path, tag, access, ids, operation } = base
  return defineRoute({
    method: 'DELETE',
    path: `${path}/{appID}`,
    operationId: operation('retireApp'),
    summary: 'Retire an application for good; one that is retired already is no error',
    tag,
    kind: 'write',
    access,
    ids: { ...ids, appID: 'app' },
    answers: { 204: { description: 'The application is out of service; its id stays taken.' } },
    failures: ['invalid_request', 'conflict'],
    serve: async (asked) => removed(await retireApp(context, asked.call, appRef(base, asked))),
  })
}

function number(name: keyof typeof appSettingBounds, description: string): Schema {
  return { type: 'integer', ...appSettingBounds[name], description }
}
