import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import de.bwaldvogel.mongo.bson.Document;
import io.netty.channel.Channel;
import java.util.List;

/** Speaks MongoDB's protocol on a free port of the loopback address, prints its connection string, and keeps everything in memory. */
class StandIn {
  /** Says that it is newer than it is: the driver talks with nothing older than MongoDB 4.4. */
  static final class Accepted implements MongoVersion {
    public List<Integer> getVersionArray() { return List.of(5, 0, 0); }

    public int getWireVersion() { return 13; }
  }

  /** Answers `hello`, as MongoDB does since 5.0 and 4.4.2; the library knows its older name alone. */
  static final class Greeting extends MemoryBackend {
    @Override
    public Document handleCommand(Channel channel, String database, String command, Document query) {
      return super.handleCommand(channel, database, command.equals("hello") ? "isMaster" : command, query);
    }
  }

  public static void main(String[] arguments) {
    var server = new MongoServer(new Greeting().version(new Accepted()));
    System.out.println(server.bindAndGetConnectionString());
  }
}
