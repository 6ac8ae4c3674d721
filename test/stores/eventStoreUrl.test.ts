import { describe, expect, test } from 'vitest'
import {
  findEventStoreUrlMistakes,
  findEventStoreUrlWarnings,
  parseEventStoreUrl,
} from '../../src/stores/connectionStrings.ts'

describe('the connection string of an EventStoreDB', () => {
  test.each([
    'esdb://localhost:2113?tls=false',
    'esdb://localhost',
    'esdb://vigil:s%40cret%2F@db-1.example.org:2113/?tls=true&tlsCAFile=/etc/ca.crt',
    'esdb://a.example:2113,b.example:2113,c.example:2113?nodePreference=leader&keepAliveInterval=10000',
    'esdb+discover://vigil:secret@cluster.example?connection_name=vigil',
  ])('%s can be used', (url) => {
    expect(findEventStoreUrlMistakes(url)).toEqual([])
  })

  test.each([
    ['kurrentdb://localhost:2113', 'must begin with esdb://'],
    ['localhost:2113', 'must begin with esdb://'],
    ['esdb://vigil:50%secret@localhost', 'not percent-encoded'],
    ['esdb://vigil:se@cret@localhost', 'write it as %40'],
    ['esdb://', 'must name hosts'],
    ['esdb://host:port', 'must name hosts'],
    ['esdb://host:99999?tls=false', 'a port is 1 to 65535'],
    ['esdb://a:2113,b:0', 'a port is 1 to 65535'],
    ['esdb://local host', 'must name hosts'],
    ['esdb://localhost?tls=false?tls=true', 'more than one question mark'],
    ['esdb://localhost?tls=no', 'a value that tls cannot have'],
    ['esdb://localhost?tlsVerifyCert=false', 'not known: tlsVerifyCert'],
    ['esdb://localhost?throwOnAppendFailure=false', 'throwOnAppendFailure cannot have'],
    ['esdb://localhost?nodePreference=follower', 'nodePreference cannot have'],
    ['esdb://localhost?keepAliveInterval=500', 'keepAliveInterval cannot have'],
  ])('%s cannot: %s', (url, words) => {
    const mistakes = findEventStoreUrlMistakes(url)

    expect(mistakes).toEqual([expect.stringContaining(words)])
    expect(mistakes.join()).not.toContain('secret')
  })

  test('given a user name and a password, then they are taken out of it and decoded', () => {
    expect(parseEventStoreUrl('esdb://vi%20gil:s%40cret@a:2113,b?tls=true')).toEqual({
      url: 'esdb://a:2113,b?tls=true',
      credentials: { username: 'vi gil', password: 's@cret' },
    })
  })

  test('given none, then there are none', () => {
    expect(parseEventStoreUrl('esdb://a:2113')).toEqual({ url: 'esdb://a:2113' })
  })

  test('given a password for a connection that is not secured, then it is said that it is not sent', () => {
    const [warning, ...more] = findEventStoreUrlWarnings('esdb://admin:changeit@a?tls=false')

    expect(more).toEqual([])
    expect(warning).toContain('not sent')
    expect(warning).not.toContain('changeit')
    expect(findEventStoreUrlWarnings('esdb://admin:changeit@a')).toEqual([])
    expect(findEventStoreUrlWarnings('esdb://a?tls=false')).toEqual([])
  })
})
