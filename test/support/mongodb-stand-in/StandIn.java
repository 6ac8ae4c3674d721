import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import java.util.List;

/** Speaks MongoDB's protocol on a free port of the loopback address, prints its connection string, and keeps everything in memory. */
class StandIn {
  /** Says that it is newer than it is: the driver talks with nothing older than MongoDB 4.4. */
  static final class Accepted implements MongoVersion {
    public List<Integer> getVersionArray() { return List.of(5, 0, 0); }

    public int getWireVersion() { return 13; }
  }

  public static void main(String[] arguments) {
    var server = new MongoServer(new MemoryBackend().version(new Accepted()));
    System.out.println(server.bindAndGetConnectionString());
  }
}
