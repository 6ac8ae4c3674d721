/** The manifests against the schemas of Kubernetes, and what stands in them against what reads it. */

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Deployment, type IDeployment } from 'kubernetes-models/apps/v1/Deployment'
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget'
import { Namespace } from 'kubernetes-models/v1/Namespace'
import { Service } from 'kubernetes-models/v1/Service'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { settingNames } from '../../src/config/settingReaders.ts'
import { readConfig } from '../../src/config.ts'
import { listRoutes } from '../../src/http/routes.ts'
import { environmentOf, readDockerfile } from './support/dockerfile.ts'

const folder = 'ops/kubernetes'
const read = (file: string) => readFileSync(file, 'utf8')
const image = environmentOf(readDockerfile('Dockerfile'))

/** The kinds that are used, each with its model and the module of its type. */
const kinds = {
  Deployment: { model: Deployment, module: 'apps/v1' },
  NetworkPolicy: { model: NetworkPolicy, module: 'networking.k8s.io/v1' },
  PodDisruptionBudget: { model: PodDisruptionBudget, module: 'policy/v1' },
  Namespace: { model: Namespace, module: 'v1' },
  Service: { model: Service, module: 'v1' },
}

interface Manifest {
  readonly kind: keyof typeof kinds
  readonly metadata: { readonly name: string; readonly namespace?: string }
  readonly spec: {
    readonly selector?: { readonly matchLabels?: object } & Readonly<Record<string, unknown>>
    readonly podSelector?: { readonly matchLabels: object }
    readonly ports?: readonly { readonly targetPort: string }[]
    readonly minAvailable?: number
  }
}

const files = readdirSync(folder).filter((file) => file !== 'kustomization.yaml')
const manifests = files.flatMap((file) =>
  parseAllDocuments(read(join(folder, file))).map((one) => one.toJS() as Manifest),
)
const named = manifests.map((one) => [`${one.kind} ${one.metadata.name}`, one] as const)
const deployments = manifests.filter(
  ({ kind }) => kind === 'Deployment',
) as readonly unknown[] as readonly IDeployment[]
const podOf = (one?: IDeployment) => {
  const pod = one?.spec?.template.spec
  const [container] = pod?.containers ?? []
  if (pod === undefined || container === undefined) throw new Error('no container')
  return { pod, container, labels: one?.spec?.template.metadata?.labels ?? {} }
}
const roles = deployments.map((one) => [one.metadata?.name ?? '', podOf(one)] as const)

describe('the manifests', () => {
  test.each(named)('%s is valid', (_, manifest) => {
    const { model: Model } = kinds[manifest.kind]
    expect(() => new Model(manifest as never).validate()).not.toThrow()
  })

  // Kubernetes passes over a field that it does not know, unless asked not to
  test('have no field that Kubernetes does not know', () => {
    const work = mkdtempSync(join(tmpdir(), 'vigil-manifests-'))
    onTestFinished(() => rmSync(work, { recursive: true }))
    const typed = manifests.map((one) => {
      const from = resolve('node_modules/kubernetes-models', kinds[one.kind].module)
      return `{ const _: import('${from}').I${one.kind} = ${JSON.stringify(one)} }`
    })
    writeFileSync(join(work, 'manifests.ts'), typed.join('\n'))
    const wrong = typed.join('\n').replace('readOnlyRootFilesystem', 'readOnlyRootFileSystem')
    writeFileSync(join(work, 'wrong.ts'), wrong)

    const check = (file: string) =>
      spawnSync(
        process.execPath,
        [
          'node_modules/typescript/bin/tsc',
          ...'--noEmit --strict --skipLibCheck --ignoreConfig --types --module nodenext'.split(' '),
          join(work, file),
        ],
        { encoding: 'utf8' },
      ).stdout

    expect(check('manifests.ts')).toBe('')
    expect(check('wrong.ts')).toContain(`'"readOnlyRootFileSystem"' does not exist in type`)
  })

  test('are all named in the kustomization, in one namespace', () => {
    const [kustomization] = parseAllDocuments(read(join(folder, 'kustomization.yaml')))
    const { resources, namespace, images } = kustomization?.toJS() ?? {}
    expect(resources.toSorted()).toEqual(files.toSorted())
    for (const { kind, metadata } of manifests)
      if (kind !== 'Namespace') expect(metadata.namespace).toBe(namespace)
    expect(images.map(({ name }: { name: string }) => name)).toEqual(['vigil'])
    expect(images[0].newTag).toMatch(/^\d+\.\d+\.\d+$/)
  })
})

describe.each(roles)('%s', (name, { pod, container, labels }) => {
  const environment = Object.fromEntries(
    (container.env ?? []).map(({ name, value }) => [name, value]),
  )

  test('sets only what Vigil reads, with each secret in a file, and is what it is called', () => {
    const folder = mkdtempSync(join(tmpdir(), 'vigil-secrets-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    writeFileSync(join(folder, 'eventstore-url'), 'esdb://kurrentdb:2113\n')
    writeFileSync(join(folder, 'mongodb-url'), 'mongodb://vigil:password@mongodb/vigil\n')
    writeFileSync(join(folder, 'operator-token'), 'o'.repeat(44))
    writeFileSync(join(folder, 'master-key'), 'ab'.repeat(32))
    const mount = container.volumeMounts?.find((one) => one.name === 'secrets')?.mountPath ?? ''
    const moved = Object.entries(environment).map(([name, value = '']) => [
      name,
      value.replace(mount, folder),
    ])

    const config = readConfig({ ...image, ...Object.fromEntries(moved) })

    expect(settingNames).toEqual(expect.arrayContaining(Object.keys(environment)))
    expect(config).toMatchObject({ role: labels['app.kubernetes.io/component'], warnings: [] })
    expect(`vigil-${config.role}`).toBe(name)
    expect(config.dataFolder).toMatch(/^\/var\/lib\/vigil\//)
    expect(JSON.stringify(container.env)).not.toMatch(/(?:TOKEN|KEY|_URL)"/)
  })

  test('has no right that it needs not, and writes volumes alone', () => {
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 1_000,
        seccompProfile: { type: 'RuntimeDefault' },
      },
    })
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    const written = container.volumeMounts?.filter((one) => one.readOnly !== true) ?? []
    expect(written.map(({ mountPath }) => mountPath)).toEqual(['/var/lib/vigil', '/tmp'])
    const volumes = (pod.volumes ?? []).map((one) => one.name)
    expect(container.volumeMounts?.map((one) => one.name)).toEqual(volumes)
    expect(container.resources).toMatchObject({ requests: {}, limits: { memory: '2Gi' } })
  })

  test('is restarted when it does not live, and asked when it is ready', () => {
    const paths = listRoutes().map(({ path }) => path)
    const { startupProbe, livenessProbe, readinessProbe } = container
    const asked = [startupProbe, livenessProbe, readinessProbe].map((probe) => probe?.httpGet)

    expect(asked.map((one) => one?.path)).toEqual(['/health/live', '/health/live', '/health/ready'])
    for (const one of asked) {
      expect(paths).toContain(one?.path)
      expect(one?.port).toBe('http')
    }
    expect(container.ports).toEqual([{ name: 'http', containerPort: Number(image['PORT']) }])
    const { periodSeconds = 0, failureThreshold = 0 } = startupProbe ?? {}
    // for the stores alone it waits 30 s each
    expect(periodSeconds * failureThreshold).toBeGreaterThan(120)
  })

  test('has more time to stop than it takes, after nobody sends it requests any more', () => {
    const stopTimeoutMs = Number(
      /const stopTimeoutMs = ([\d_]+)/
        .exec(read('src/main/stopOnSignals.ts'))?.[1]
        ?.replace('_', ''),
    )
    const sleep = Number(container.lifecycle?.preStop?.exec?.command?.[1])

    expect((pod.terminationGracePeriodSeconds ?? 0) - sleep).toBeGreaterThanOrEqual(
      (stopTimeoutMs / 1_000) * 1.5,
    )
  })

  test('is there twice, one of which always stays', () => {
    const budget = manifests.find(
      ({ kind, metadata }) => kind === 'PodDisruptionBudget' && metadata.name === name,
    )
    const deployment = deployments.find((one) => one.metadata?.name === name)

    expect(budget?.spec.selector?.matchLabels).toEqual(labels)
    expect(budget?.spec.minAvailable).toBeLessThan(deployment?.spec?.replicas ?? 0)
    expect(deployment?.spec?.selector.matchLabels).toEqual(labels)
  })
})

test('the Service sends requests to instances that answer, and not to projectors', () => {
  const service = manifests.find(({ kind }) => kind === 'Service')
  const chosen = roles.filter(([, { labels }]) =>
    Object.entries(service?.spec.selector ?? {}).every(([name, value]) => labels[name] === value),
  )

  expect(chosen.map(([name]) => name)).toEqual(['vigil-api'])
  expect(service?.spec.ports?.map(({ targetPort }) => targetPort)).toEqual(['http'])
})

test('every pod is behind a policy that lets in and out only what it names', () => {
  const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy')
  for (const [, { labels }] of roles) {
    const over = policies.filter(({ spec }) =>
      Object.entries(spec.podSelector?.matchLabels ?? {}).every(
        ([name, value]) => labels[name] === value,
      ),
    )
    expect(over).not.toEqual([])
    for (const { spec } of over) expect(spec).toMatchObject({ policyTypes: ['Ingress', 'Egress'] })
  }
})
