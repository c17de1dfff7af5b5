// The TypeScript SDK's client goes through all that Memoir's MCP endpoint has, and prints what it was answered as one JSON
// document:
//
//     node client.js ADDRESS TOKEN READ_TOKEN
//
// It checks every structured result against the schema that the tool declares, and fails where one does not fit.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

const [address, token, readToken] = process.argv.slice(2)

async function connect(token) {
  const client = new Client({ name: 'memoir-test', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(address), {
    requestInit: { headers: { Authorization: `Bearer ${token}` } },
  }))
  return client
}

async function call(client, name, args) {
  const result = await client.callTool({ name, arguments: args })
  return { failed: result.isError === true, text: result.content.map((part) => part.text).join(''), structured: result.structuredContent }
}

async function allResources(client) {
  const all = []
  let cursor
  do {
    const page = await client.listResources(cursor ? { cursor } : {})
    all.push(...page.resources)
    cursor = page.nextCursor
  } while (cursor)
  return all
}

async function prompt(client, name, args) {
  const result = await client.getPrompt({ name, arguments: args })
  return result.messages.map((message) => message.content.text).join('')
}

async function failure(promise) {
  try {
    await promise
    return ''
  } catch (error) {
    return error.message
  }
}

const client = await connect(token)
const said = { server: client.getServerVersion(), instructions: client.getInstructions() }
said.tools = (await client.listTools()).tools.map((tool) => tool.name) // from here on results are checked against the schemas
said.prompts = (await client.listPrompts()).prompts.map((prompt) => prompt.name)
said.templates = (await client.listResourceTemplates()).resourceTemplates.map((template) => template.uriTemplate)

said.saved = await call(client, 'save_memory', { name: 'Small diffs', type: 'feedback', description: 'one concern per change', body: 'Ask for a split past 400 lines.' })
said.list = await call(client, 'list_memories', { limit: 3 })
said.found = await call(client, 'search_memories', { query: 'split' })
said.got = await call(client, 'get_memory', { name: 'Small diffs' })
said.recalled = await call(client, 'recall', { query: 'how large may a diff be?', session: 'one' })
said.overview = await prompt(client, 'memory', {})
said.shown = await prompt(client, 'memory_show', { name: 'Small diffs' })
said.remember = await prompt(client, 'memory_save', { text: 'We deploy on Mondays.' })
said.completed = (await client.complete({ ref: { type: 'ref/prompt', name: 'memory_show' }, argument: { name: 'name', value: 'small' } })).completion.values

const resources = await allResources(client)
said.resources = resources.length
const uri = resources.find((resource) => resource.name === 'Small diffs').uri
said.file = (await client.readResource({ uri })).contents[0].text
said.claudeMD = (await client.readResource({ uri: resources[0].uri })).contents[0].text

said.deleted = await call(client, 'delete_memory', { name: 'Small diffs' })
said.readDeleted = await failure(client.readResource({ uri }))
said.unknown = await call(client, 'get_memory', { name: 'zeppelin' })
said.wrong = await call(client, 'save_memory', { name: 'a', type: 'diary', body: 'x' })
await client.close()

const reader = await connect(readToken)
said.readerTools = (await reader.listTools()).tools.map((tool) => tool.name)
said.refused = await call(reader, 'delete_memory', { name: 'note 1' })
await reader.close()

said.locked = await failure(connect('a guess'))
console.log(JSON.stringify(said))
